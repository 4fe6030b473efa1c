import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForAllTests } from "../support/engineFixture.js";
import { matching, saying } from "../support/matchers.js";
import { job, lostReply, refresh, urn } from "../support/scenarios/scenario.js";

describeWithEngine("The engine's commands", () => {
  const engine = engineForAllTests();
  beforeAll(async () => {
    await engine().up(job("orders") + job("items", "params: params({ sourceTable: 'ITEMS' })"));
  });

  const items = job("items", "params: params({ sourceTable: 'ITEMS' })");

  test("rename a resource, in state or by an alias, and send nothing", async () => {
    expect(await engine().run(["state", "rename", urn("orders"), "sales", "--yes"])).toMatchObject({ exitCode: 0 });
    const renamed = await engine().up(job("sales") + items);
    expect(renamed).toMatchObject({ exitCode: 0, posts: 0, output: saying("3 unchanged") });
    const aliased = await engine().up(job("orders", "", 'aliases: [{ name: "sales" }]') + items);
    expect(aliased).toMatchObject({ exitCode: 0, posts: 0, output: saying("3 unchanged") });
    expect(Object.keys(engine().jobs()).sort()).toEqual(["items", "orders"]);
    expect(engine().jobs()).toMatchObject({ orders: { id: matching(/^job-\d$/), protect: true } });
  });

  test("--target updates one job and leaves another changed job alone", async () => {
    const program = job("orders", 'changedAtService: "May"') + job("items", "intervalValue: 5") + job("fresh");
    const targeted = await engine().up(program, ["--target", urn("orders")]);
    expect(targeted).toMatchObject({ exitCode: 0, posts: 0, output: saying("1 updated") });
    expect(engine().jobs()).toMatchObject({
      orders: { outputs: { changedAtService: "May" } },
      items: { outputs: { intervalValue: 4 } },
    });
    expect(await engine().preview(program)).toMatchObject({ exitCode: 1, output: saying("intervalValue: 4 → 5") });
  });

  test("state taint would replace the job, which protect refuses", async () => {
    const program = job("orders", 'changedAtService: "May"') + items;
    expect(await engine().run(["state", "taint", urn("orders"), "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await engine().up(program)).toMatchObject({
      exitCode: 1,
      posts: 0,
      output: saying("marked for protection"),
    });
    expect(await engine().run(["state", "untaint", urn("orders"), "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await engine().up(program)).toMatchObject({ exitCode: 0, posts: 0, output: saying("3 unchanged") });
  });

  test("--continue-on-error creates the other jobs beside an unconfirmed one", async () => {
    const orders = job("orders", 'changedAtService: "May"');
    const first = await engine().up(orders + items + job("lost"), ["--continue-on-error"], { faults: [lostReply] });
    expect(first).toMatchObject({ exitCode: 1, posts: 1 });
    const fresh = job("fresh", "params: params({ sourceTable: 'FRESH' })");
    const second = await engine().up(orders + items + job("lost") + fresh, ["--continue-on-error"]);
    expect(second).toMatchObject({
      exitCode: 1,
      posts: 1,
      output: saying('CachingJob "lost": nothing was sent. The create of'),
    });
    expect(engine().jobs()).toMatchObject({
      lost: { outputs: { job: {} } },
      fresh: { outputs: { job: { name: "FRESH" } } },
    });
  });

  test("up --refresh gives the same result as refresh and then up", async () => {
    const program = job("orders", 'changedAtService: "May"') + items;
    const changed = job("orders", 'intervalValue: 5, changedAtService: "May"') + items;
    expect(await engine().run(refresh)).toMatchObject({ exitCode: 0, posts: 0 });
    expect(await engine().up(changed, ["--refresh"])).toMatchObject({ exitCode: 1, posts: 0, output: saying("4 → 5") });
    // Once unprotected, the two resources that are no longer in the program leave the state; their jobs keep running.
    expect(await engine().run(["state", "unprotect", "--all", "--yes"])).toMatchObject({ exitCode: 0 });
    const removed = await engine().up(program, ["--refresh"]);
    expect(removed).toMatchObject({ exitCode: 0, posts: 0 });
    expect(removed.output.match(/deleted \(.*\[retain\]/g)).toHaveLength(2);
    expect(engine().services[0].jobs).toHaveLength(3);
  });
});
