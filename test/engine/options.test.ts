import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { saying } from "../support/matchers.js";
import { job, lostReply, urn } from "../support/scenarios/scenario.js";

const refused = 'CachingJob "orders": the declaration differs from job job-1';

/** A resource of another package, replaced when `v` changes. */
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
  const engine = engineForEachTest();

  test("whatever the resource options are, and an unconfirmed create is not repeated", async () => {
    const options = `protect: false, replaceOnChanges: ["*", "intervalValue"], deleteBeforeReplace: true,
      replaceWith: [other], replacementTrigger: other.id`;
    const program = (v: number, more = "", also = "") => other(v) + job("orders", more, options) + also;
    const first = await engine().up(program(1));
    expect(first.output).toContain(
      `CachingJob "orders": the options replaceOnChanges, replaceWith, replacementTrigger are ignored, because a replacement creates a second job.`,
    );
    expect(await engine().preview(program(1, "intervalValue: 5"))).toMatchObject({
      exitCode: 1,
      output: saying(refused),
    });
    const unconfirmed = job("lost", "", options);
    const next = await engine().up(program(2, 'intervalValue: 5, changedAtService: "May"', unconfirmed), [], {
      faults: [lostReply],
    });
    expect(next).toMatchObject({ exitCode: 1, posts: 1 });
    const last = await engine().up(program(2, 'intervalValue: 5, changedAtService: "May"', unconfirmed));
    expect(last).toMatchObject({
      exitCode: 1,
      posts: 0,
      output: saying('CachingJob "lost": nothing was sent. The create of'),
    });
    expect(engine().jobs()).toMatchObject({
      orders: { id: "job-1", outputs: { intervalValue: 5 } },
      lost: { outputs: { job: {} } },
    });
  });

  test("whatever a transform sets: protect, retainOnDelete, deleteBeforeReplace, replaceOnChanges", async () => {
    const loose = transform(
      'protect: false, retainOnDelete: false, deleteBeforeReplace: true, replaceOnChanges: ["*"]',
    );
    await engine().up(loose + job("orders"));
    expect(engine().jobs()).toMatchObject({ orders: { protect: false, retainOnDelete: false } });
    const changed = await engine().up(loose + job("orders", "intervalValue: 5"));
    expect(changed).toMatchObject({ exitCode: 1, posts: 0, output: saying(refused) });
    // With --replace, the run stops before it creates a second job: the first job cannot be deleted.
    const replaced = await engine().up(loose + job("orders", "intervalValue: 5"), ["--replace", urn("orders")]);
    expect(replaced).toMatchObject({ exitCode: 1, posts: 0 });
    expect(replaced.output).toContain('CachingJob "orders": the service documents no way to delete a job. Job job-1');

    expect(await engine().up(loose + job("orders") + job("lost"), [], { faults: [lostReply] })).toMatchObject({
      posts: 1,
    });
    const again = await engine().up(loose + job("orders") + job("lost"));
    expect(again).toMatchObject({ exitCode: 1, posts: 0 });
    expect(again.output).toContain(
      'CachingJob "lost": nothing was sent, because this resource declares the same job as CachingJob "lost", whose create is unconfirmed',
    );
    expect(engine().jobs()).toMatchObject({ lost: { outputs: { job: {} } } });
  });

  test("where the user's options override ours, and under a component without protect", async () => {
    const items = job("items", "", "parent, retainOnDelete: false, deleteBeforeReplace: false");
    const component = `const parent = new pulumi.ComponentResource("x:index:Parent", "parent", {}, { protect: false });`;
    const program = component + job("orders", "", "parent") + items;
    await engine().up(program);
    const parents = "x:index:Parent$";
    expect(engine().jobs()).toMatchObject({
      orders: { protect: false, retainOnDelete: true },
      items: { protect: false, retainOnDelete: false },
    });
    const replaced = await engine().up(program, ["--replace", urn("items", parents)]);
    expect(replaced).toMatchObject({
      exitCode: 1,
      posts: 0,
      output: saying("no way to delete"),
    });
    const removed = await engine().up(component + items);
    expect(removed).toMatchObject({ exitCode: 0, posts: 0 });
    expect(removed.output).toMatch(/orders deleted \(.*\)\[retain\]/);
    expect(Object.keys(engine().jobs())).toEqual(["items"]);
  });

  test("and ignoreChanges leaves the job as it is", async () => {
    await engine().up(job("orders"));
    const changed = `intervalValue: 5, enabled: false, additionalParams: { mode: "full", "a.b": 1 },
      params: params({ sourceTable: "ITEMS" })`;
    const refusal = await engine().preview(job("orders", changed));
    const [, paths = ""] = /ignoreChanges: \[(.*)\]/.exec(refusal.output) ?? [];
    expect(paths).toBe(
      String.raw`"intervalValue", "enabled", "params.sourceTable", "additionalParams[\"a.b\"]", "additionalParams.mode"`,
    );
    // The paths are used as a user would paste them from the refusal.
    const ignored = await engine().up(job("orders", changed, `ignoreChanges: [${paths}]`));
    expect(ignored).toMatchObject({ exitCode: 0, posts: 0, output: saying("2 unchanged") });
    expect(await engine().up(job("orders", changed, 'ignoreChanges: ["params", "additionalParams"]'))).toMatchObject({
      exitCode: 1,
      posts: 0,
      output: saying("intervalValue: 4 → 5"),
    });
  });
});
