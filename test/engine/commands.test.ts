import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests } from "../support/engineFixture.js";
import { matching } from "../support/matchers.js";
import { job, lostReply, preview, refresh, up, urn } from "../support/scenarios/scenario.js";

describeWithEngine("The engine's commands", () => {
  const engine = engineForAllTests();
  const ofTable = (name: string) => job(name, `params: params({ sourceTable: "${name.toUpperCase()}" })`);
  const items = ofTable("items");
  const program = job("orders", 'changedAtService: "May"') + items;
  beforeAll(() => engine().play({ program: job("orders") + items, posts: 2 }));

  test("rename a resource, in state or by an alias, and send nothing", async () => {
    await engine().play({ run: ["state", "rename", urn("orders"), "sales", "--yes"] });
    await engine().play({ program: job("sales") + items, says: ["3 unchanged"] });
    const aliased = job("orders", "", 'aliases: [{ name: "sales" }]') + items;
    const state = { orders: { id: matching(/^job-\d$/), protect: true }, items: {} };
    await engine().play({ program: aliased, says: ["3 unchanged"], state });
  });

  test("--target updates one job and leaves another changed job alone", async () => {
    const program = job("orders", 'changedAtService: "May"') + job("items", "intervalValue: 5") + job("fresh");
    await engine().play({
      program,
      run: [...up, "--target", urn("orders")],
      says: ["1 updated"],
      state: { orders: { outputs: { changedAtService: "May" } }, items: { outputs: { intervalValue: 4 } } },
    });
    await engine().play({ run: preview, exitCode: 1, says: ["intervalValue: 4 → 5"] });
  });

  test("state taint would replace the job, which protect refuses", async () => {
    await engine().play({ run: ["state", "taint", urn("orders"), "--yes"] });
    await engine().play({ program, exitCode: 1, says: ["marked for protection"] });
    await engine().play({ run: ["state", "untaint", urn("orders"), "--yes"] });
    await engine().play({ says: ["3 unchanged"] });
  });

  test("--continue-on-error creates the other jobs beside an unconfirmed one", async () => {
    const withLost = { run: [...up, "--continue-on-error"], exitCode: 1, posts: 1 } as const;
    await engine().play({ ...withLost, program: program + job("lost"), faults: [lostReply] });
    await engine().play({
      ...withLost,
      program: program + job("lost") + ofTable("fresh"),
      says: ['CachingJob "lost": nothing was sent. The create of'],
      state: { orders: {}, items: {}, lost: { outputs: { job: {} } }, fresh: { outputs: { job: { name: "FRESH" } } } },
    });
  });

  test("up --refresh gives the same result as refresh and then up", async () => {
    const changed = job("orders", 'intervalValue: 5, changedAtService: "May"') + items;
    await engine().play({ run: refresh });
    await engine().play({ program: changed, run: [...up, "--refresh"], exitCode: 1, says: ["4 → 5"] });
    // Once unprotected, the two resources that are no longer in the program leave the state; their jobs keep running.
    await engine().play({ run: ["state", "unprotect", "--all", "--yes"] });
    const { output } = await engine().play({ program, run: [...up, "--refresh"] });
    expect(output.match(/deleted \(.*\[retain\]/g)).toHaveLength(2);
    expect(engine().services[0].jobs).toHaveLength(3);
  });
});
