import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { job, lostReply, preview, urn } from "../support/scenarios/scenario.js";

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
    const ignored =
      'CachingJob "orders": the options replaceOnChanges, replaceWith, replacementTrigger are ignored, because a replacement creates a second job.';
    await engine().play({ program: program(1), posts: 1, says: [ignored] });
    await engine().play({ program: program(1, "intervalValue: 5"), run: preview, exitCode: 1, says: [refused] });
    const withLost = program(
      2,
      'intervalValue: 5, changedAtService: "May"',
      job("lost", 'params: params({ sourceTable: "LOST" })', options),
    );
    await engine().play({ program: withLost, faults: [lostReply], exitCode: 1, posts: 1 });
    await engine().play({
      exitCode: 1,
      says: ['CachingJob "lost": nothing was sent. Its create is still unconfirmed'],
      state: { orders: { id: "job-1", outputs: { intervalValue: 5 } }, lost: { outputs: { job: {} } } },
    });
  });

  test("whatever a transform sets: protect, retainOnDelete, deleteBeforeReplace, replaceOnChanges", async () => {
    const loose = transform(
      'protect: false, retainOnDelete: false, deleteBeforeReplace: true, replaceOnChanges: ["*"]',
    );
    const state = { orders: { protect: false, retainOnDelete: false } };
    await engine().play({ program: loose + job("orders"), posts: 1, state });
    await engine().play({ program: loose + job("orders", "intervalValue: 5"), exitCode: 1, says: [refused] });
    // The run stops before it creates a second job: the first job cannot be deleted.
    const undeletable = 'CachingJob "orders": the service documents no way to delete a job. Job job-1';
    await engine().play({ run: ["state", "taint", urn("orders"), "--yes"] });
    await engine().play({ exitCode: 1, says: [undeletable] });
    await engine().play({ run: ["state", "untaint", urn("orders"), "--yes"] });

    const program = loose + job("orders") + job("lost", 'params: params({ sourceTable: "LOST" })');
    await engine().play({ program, faults: [lostReply], exitCode: 1, posts: 1 });
    const unsent = 'CachingJob "lost": its create is unconfirmed: it was sent at';
    await engine().play({ exitCode: 1, says: [unsent], state: { ...state, lost: { outputs: { job: {} } } } });
  });

  test("where the user's options override ours, and under a component without protect", async () => {
    const ofItems = 'params: params({ sourceTable: "ITEMS" })';
    const items = job("items", ofItems, "parent, retainOnDelete: false, deleteBeforeReplace: false");
    const component = `const parent = new pulumi.ComponentResource("x:index:Parent", "parent", {}, { protect: false });`;
    await engine().play({
      program: component + job("orders", "", "parent") + items,
      posts: 2,
      state: { orders: { protect: false, retainOnDelete: true }, items: { protect: false, retainOnDelete: false } },
    });
    await engine().play({ run: ["state", "taint", urn("items", "x:index:Parent$"), "--yes"] });
    await engine().play({ exitCode: 1, says: ["no way to delete"] });
    await engine().play({ run: ["state", "untaint", urn("items", "x:index:Parent$"), "--yes"] });
    const { output } = await engine().play({ program: component + items, state: { items: {} } });
    expect(output).toMatch(/orders deleted \(.*\)\[retain\]/);
  });

  test("and ignoreChanges leaves the job as it is", async () => {
    await engine().play({ program: job("orders"), posts: 1 });
    const changed = `intervalValue: 5, enabled: false, additionalParams: { mode: "full", "a.b": 1 },
      params: params({ sourceTable: "ITEMS" })`;
    const paths = String.raw`"intervalValue", "enabled", "params.sourceTable", "additionalParams[\"a.b\"]", "additionalParams.mode"`;
    const ignoring = (ignored: string) => job("orders", changed, `ignoreChanges: [${ignored}]`);
    await engine().play({ program: ignoring(paths), says: ["2 unchanged"] });
    const some = ignoring('"params", "additionalParams"');
    await engine().play({ program: some, exitCode: 1, says: ["intervalValue: 4 → 5"] });
  });
});
