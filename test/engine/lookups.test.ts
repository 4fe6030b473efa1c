import { createServer } from "node:net";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests } from "../support/engineFixture.js";
import { preview, service, up } from "../support/scenarios/scenario.js";
import { close, listen } from "../support/servers.js";

/** A program whose jobs need a look-up, and a resource of another package that does not. */
const program = (lookUp: string): string => `
  const other = (name) => new pulumi.ComponentResource("x:index:Other", name);
  module.exports = async () => {
    const id = ${lookUp};
    other("other");
    job("orders", { params: params({ sourceConnection: id, sourceTable: "ORDERS" }) });
    job("items", { params: params({ sourceConnection: id, sourceTable: "ITEMS" }) });
  };`;

describeWithEngine("A look-up that gets no reply, because the proxy closes each connection,", () => {
  const engine = engineForAllTests({ config: { "data-connectivity:jobOperations": "all" } });
  const proxy = createServer((socket) => socket.once("data", () => socket.destroy()));
  let port = 0;
  beforeAll(async () => {
    port = await listen(proxy);
  });
  afterAll(() => close(proxy));

  test.each([
    ["awaited", '(await sdk.getConnection({ name: "Snowflake1" })).id'],
    ["not awaited", 'sdk.getConnectionOutput({ name: "Snowflake1" }).id'],
  ])("fails the program, and nothing is deleted: %s", async (_name, lookUp) => {
    const state = { orders: {}, items: {} };
    const posts = engine().services[0].jobs.length === 0 ? 2 : 0;
    const config = (baseUrl: string) => ({ config: { "data-connectivity:baseUrl": baseUrl } });
    await engine().play({ program: program(lookUp), ...config(service), posts, state });
    const says = [
      "getConnection: GET /api/poweredby/connection/list failed: no connection to jobs.example.com could be made",
    ];
    const dropped = { ...config("https://jobs.example.com"), env: { HTTPS_PROXY: `http://127.0.0.1:${port}` }, says };
    for (const run of [preview, up]) await engine().play({ ...dropped, run, exitCode: 1, state });
    expect(engine().services[0].jobs).toHaveLength(2);
  });
});
