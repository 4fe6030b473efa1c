import type { TestFault } from "../support/emulator/index.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests } from "../support/engineFixture.js";
import { up } from "../support/scenarios/scenario.js";

/** A program whose jobs need a look-up, and a resource of another package that does not. */
const program = (lookUp: string): string => `
  const other = (name) => new pulumi.ComponentResource("x:index:Other", name);
  module.exports = async () => {
    const id = ${lookUp};
    other("other");
    job("orders", { params: params({ sourceConnection: id, sourceTable: "ORDERS" }) });
    job("items", { params: params({ sourceConnection: id, sourceTable: "ITEMS" }) });
  };`;

/** A reply of which Node's client tells its caller nothing by default, to each try of the look-up. */
const unanswered: TestFault = { kind: "switchProtocols", on: "connections", times: 5 };

describeWithEngine("A look-up that gets no reply", () => {
  const engine = engineForAllTests({ config: { "data-connectivity:jobOperations": "all" } });

  test.each([
    ["awaited", '(await sdk.getConnection({ name: "Snowflake1" })).id'],
    ["not awaited", 'sdk.getConnectionOutput({ name: "Snowflake1" }).id'],
  ])("fails the program, and nothing is deleted: %s", async (_name, lookUp) => {
    const jobs = () => engine().services[0].jobs.length;
    await engine().play({ program: program(lookUp), posts: jobs() === 0 ? 2 : 0 });
    const run = [...up, "--skip-preview"];
    const says = [
      "getConnection: GET /api/poweredby/connection/list failed: the connection broke before a reply came (HTTP 101)",
    ];
    await engine().play({ program: program(lookUp), run, exitCode: 1, faults: [unanswered], says });
    expect(jobs()).toBe(2);
  });
});
