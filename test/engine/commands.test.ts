import { describeWithEngine } from "../support/describeWithEngine.js";
import { Lab } from "../support/engineFixture.js";
import { job, refresh, urn } from "../support/scenarios/scenario.js";

jest.setTimeout(240_000);

const lost = { kind: "reset", on: "create" } as const;
const saying = (text: string) => expect.stringContaining(text) as unknown;

describeWithEngine("The engine's commands", () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.start();
    await lab.up(job("orders") + job("items", "params: params({ sourceTable: 'ITEMS' })"));
  });
  afterAll(() => lab.stop());

  const items = job("items", "params: params({ sourceTable: 'ITEMS' })");

  test("rename in state and by alias, and nothing is sent", async () => {
    expect(await lab.run(["state", "rename", urn("orders"), "sales", "--yes"])).toMatchObject({ exitCode: 0 });
    const renamed = await lab.up(job("sales") + items);
    expect(renamed).toMatchObject({ exitCode: 0, posts: 0, output: saying("3 unchanged") });
    const aliased = await lab.up(job("orders", "", 'aliases: [{ name: "sales" }]') + items);
    expect(aliased).toMatchObject({ exitCode: 0, posts: 0 });
    expect(Object.keys(lab.jobs()).sort()).toEqual(["items", "orders"]);
    expect(lab.jobs()).toMatchObject({ orders: { id: expect.stringMatching(/^job-\d$/) as unknown, protect: true } });
  });

  test("--target updates one and leaves alone what is changed beside it", async () => {
    const program = job("orders", 'changedAtService: "May"') + job("items", "intervalValue: 5") + job("fresh");
    const targeted = await lab.up(program, ["--target", urn("orders")]);
    expect(targeted).toMatchObject({ exitCode: 0, posts: 0, output: saying("1 updated") });
    expect(lab.jobs()).toMatchObject({
      orders: { outputs: { changedAtService: "May" } },
      items: { outputs: { intervalValue: 4 } },
    });
    expect(await lab.preview(program)).toMatchObject({ exitCode: 1, output: saying("intervalValue: 4 → 5") });
  });

  test("state taint asks for a second job, which protect refuses", async () => {
    const program = job("orders", 'changedAtService: "May"') + items;
    expect(await lab.run(["state", "taint", urn("orders"), "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await lab.up(program)).toMatchObject({ exitCode: 1, posts: 0, output: saying("marked for protection") });
    expect(await lab.run(["state", "untaint", urn("orders"), "--yes"])).toMatchObject({ exitCode: 0 });
    expect(await lab.up(program)).toMatchObject({ exitCode: 0, posts: 0, output: saying("3 unchanged") });
  });

  test("--continue-on-error makes what can be made beside a doubt and a refusal", async () => {
    const orders = job("orders", 'changedAtService: "May"');
    const first = await lab.up(orders + items + job("lost"), ["--continue-on-error"], { faults: [lost] });
    expect(first).toMatchObject({ exitCode: 1, posts: 1 });
    const fresh = job("fresh", "params: params({ sourceTable: 'FRESH' })");
    const second = await lab.up(orders + items + job("lost") + fresh, ["--continue-on-error"]);
    expect(second).toMatchObject({ exitCode: 1, posts: 1, output: saying("is still in doubt") });
    expect(lab.jobs()).toMatchObject({
      lost: { outputs: { job: {} } },
      fresh: { outputs: { job: { name: "FRESH" } } },
    });
  });

  test("up --refresh and destroy with its preview end as the parts of them do", async () => {
    const program = job("orders", 'changedAtService: "May"') + items;
    const changed = job("orders", 'intervalValue: 5, changedAtService: "May"') + items;
    expect(await lab.run(refresh)).toMatchObject({ exitCode: 0, posts: 0 });
    expect(await lab.up(changed, ["--refresh"])).toMatchObject({ exitCode: 1, posts: 0, output: saying("4 → 5") });
    // Unprotected, the two that left the program go, and their jobs keep running.
    expect(await lab.run(["state", "unprotect", "--all", "--yes"])).toMatchObject({ exitCode: 0 });
    const removed = await lab.up(program, ["--refresh"]);
    expect(removed).toMatchObject({ exitCode: 0, posts: 0 });
    expect(removed.output.match(/deleted \(.*\[retain\]/g)).toHaveLength(2);
    expect(lab.services[0].jobs).toHaveLength(3);
  });
});
