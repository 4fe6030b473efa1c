import { describeWithEngine } from "../support/describeWithEngine.js";
import { Lab } from "../support/engineFixture.js";
import { job, urn } from "../support/scenarios/scenario.js";

jest.setTimeout(240_000);

const lost = { kind: "reset", on: "create" } as const;
const refused = "The declaration differs from job job-1";

/** A resource of another package that is replaced when `v` changes. */
const other = (v: number) => `
  class Other extends pulumi.CustomResource {}
  const other = new Other("pulumi-nodejs:dynamic/x:Other", "other", { v: ${v}, __provider: \`exports.handler = () => ({
    check: async (olds, inputs) => ({ inputs, failures: [] }),
    diff: async (id, { v }, news) => v === news.v ? { changes: false } : { changes: true, replaces: ["v"] },
    create: async (outs) => ({ id: "o" + outs.v, outs }), update: async (id, olds, outs) => ({ outs }), delete: async () => {},
  })\` });`;

const transform = (options: string) => `
  pulumi.runtime.registerResourceTransform(({ type, props, opts }) =>
    type.includes("data-connectivity") ? { props, opts: { ...opts, ${options} } } : undefined);`;

describeWithEngine("A change makes no second job,", () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await Lab.start();
  });
  afterEach(() => lab.stop());

  test("whatever the options say, and a job in doubt is not sent again", async () => {
    const options = `protect: false, replaceOnChanges: ["*", "intervalValue"], deleteBeforeReplace: true,
      replaceWith: [other], replacementTrigger: other.id`;
    const program = (v: number, more = "", also = "") => other(v) + job("orders", more, options) + also;
    const first = await lab.up(program(1));
    expect(first.output).toContain(
      `CachingJob "orders": replaceOnChanges and replaceWith and replacementTrigger would make a second job beside the first, so it is left out.`,
    );
    expect(await lab.preview(program(1, "intervalValue: 5"))).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining(refused) as unknown,
    });
    const doubtful = job("lost", "", options);
    const next = await lab.up(program(2, 'intervalValue: 5, changedAtService: "May"', doubtful), [], {
      faults: [lost],
    });
    expect(next).toMatchObject({ exitCode: 1, posts: 1 });
    const last = await lab.up(program(2, 'intervalValue: 5, changedAtService: "May"', doubtful));
    expect(last).toMatchObject({
      exitCode: 1,
      posts: 0,
      output: expect.stringContaining("is still in doubt") as unknown,
    });
    expect(lab.jobs()).toMatchObject({
      orders: { id: "job-1", outputs: { intervalValue: 5 } },
      lost: { outputs: { job: {} } },
    });
  });

  test("whatever a transform says: protect, retainOnDelete, deleteBeforeReplace, replaceOnChanges", async () => {
    const loose = transform(
      'protect: false, retainOnDelete: false, deleteBeforeReplace: true, replaceOnChanges: ["*"]',
    );
    await lab.up(loose + job("orders"));
    expect(lab.jobs()).toMatchObject({ orders: { protect: false, retainOnDelete: false } });
    const changed = await lab.up(loose + job("orders", "intervalValue: 5"));
    expect(changed).toMatchObject({ exitCode: 1, posts: 0, output: expect.stringContaining(refused) as unknown });
    // Asked for a second job, it stops before one is made: the first cannot be deleted.
    const replaced = await lab.up(loose + job("orders", "intervalValue: 5"), ["--replace", urn("orders")]);
    expect(replaced).toMatchObject({ exitCode: 1, posts: 0 });
    expect(replaced.output).toContain("The service documents no way to delete a job: job job-1");

    expect(await lab.up(loose + job("orders") + job("lost"), [], { faults: [lost] })).toMatchObject({ posts: 1 });
    const again = await lab.up(loose + job("orders") + job("lost"));
    expect(again).toMatchObject({ exitCode: 1, posts: 0 });
    expect(again.output).toContain("is in doubt and declares the same job, which may exist. Nothing was sent");
    expect(lab.jobs()).toMatchObject({ lost: { outputs: { job: {} } } });
  });

  test("where the user's options override ours, and under a component without protect", async () => {
    const items = job("items", "", "parent, retainOnDelete: false, deleteBeforeReplace: false");
    const component = `const parent = new pulumi.ComponentResource("x:index:Parent", "parent", {}, { protect: false });`;
    const program = component + job("orders", "", "parent") + items;
    await lab.up(program);
    const parents = "x:index:Parent$";
    expect(lab.jobs()).toMatchObject({
      orders: { protect: false, retainOnDelete: true },
      items: { protect: false, retainOnDelete: false },
    });
    const replaced = await lab.up(program, ["--replace", urn("items", parents)]);
    expect(replaced).toMatchObject({
      exitCode: 1,
      posts: 0,
      output: expect.stringContaining("no way to delete") as unknown,
    });
    const removed = await lab.up(component + items);
    expect(removed).toMatchObject({ exitCode: 0, posts: 0 });
    expect(removed.output).toMatch(/orders deleted \(.*\)\[retain\]/);
    expect(Object.keys(lab.jobs())).toEqual(["items"]);
  });

  test("and ignoreChanges leaves the job as it is", async () => {
    await lab.up(job("orders"));
    const changed = `intervalValue: 5, enabled: false, additionalParams: { mode: "full", "a.b": 1 },
      params: params({ sourceTable: "ITEMS" })`;
    const refusal = await lab.preview(job("orders", changed));
    const [, paths = ""] = /ignoreChanges: \[(.*)\]/.exec(refusal.output) ?? [];
    expect(paths).toBe(
      String.raw`"intervalValue", "enabled", "params.sourceTable", "additionalParams[\"a.b\"]", "additionalParams.mode"`,
    );
    // As the refusal gives it, pasted.
    const ignored = await lab.up(job("orders", changed, `ignoreChanges: [${paths}]`));
    expect(ignored).toMatchObject({ exitCode: 0, posts: 0, output: expect.stringContaining("2 unchanged") as unknown });
    expect(await lab.up(job("orders", changed, 'ignoreChanges: ["params", "additionalParams"]'))).toMatchObject({
      exitCode: 1,
      posts: 0,
      output: expect.stringContaining("intervalValue: 4 → 5") as unknown,
    });
  });
});
