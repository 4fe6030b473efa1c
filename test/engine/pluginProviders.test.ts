import { posts, stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, javascript, yaml, type Program } from "../support/plugin/languages.js";
import { job, provider } from "../support/plugin/declared.js";
import { serviceAndStack } from "../support/startStack.js";

const all = { jobOperations: "all" };
const [byP1, byP2] = [{ provider: "${p1}" }, { provider: "${p2}" }];

afterEach(stopAll);

describeWith(yaml)("Two providers of one account", () => {
  const providers = { p1: provider(all), p2: provider(all) };
  test("keep a job that the one lets go and the other adopts in the same run", async () => {
    const { service, stack } = await serviceAndStack();
    stack.declare({ ...providers, orders: job(inputs(), byP1) });
    await succeeds(stack.up());
    const existingJobId = service.jobs[0]?.id ?? "";
    stack.declare({ ...providers, sales: job(inputs("ORDERS", { existingJobId }), byP2) });
    expect(await fails(stack.preview())).toContain('CachingJob "orders" of this stack already has job');
    await succeeds(stack.up(["--skip-preview"]));
    expect(service.jobs.map(({ id }) => id)).toEqual([existingJobId]);
    expect(await succeeds(stack.preview(["--expect-no-changes"]))).toContain("4 unchanged");
    expect(posts(service.requests)).toBe(1);
  });

  test.each([["--refresh"], []])(
    "take a job from each other in the run in which it is renamed, replaced or adopted: %j",
    async (...args) => {
      const { service, stack, sent } = await serviceAndStack();
      const up = (more: readonly string[] = []) => stack.up([...args, ...more]);
      const declare = (resources: Program) => {
        stack.declare({ ...providers, ...resources });
      };
      declare({ orders: job(inputs(), byP1) });
      await succeeds(up());
      expect(sent()).toEqual(["POST"]);
      const renamed = { ...byP2, aliases: [{ name: "orders" }] };
      declare({ sales: job(inputs(), renamed) });
      expect(await succeeds(up())).toContain("4 unchanged");
      const replaced = { ...byP1, aliases: [{ name: "sales" }], replaceOnChanges: ["intervalValue"] };
      declare({ orders: job(inputs("ORDERS", { intervalValue: 6 }), replaced) });
      expect(await succeeds(up())).toContain("1 replaced");
      expect([sent(), service.jobs]).toMatchObject([["DELETE", "POST"], [{ intervalValue: 6 }]]);
      const adopting = inputs("ORDERS", { intervalValue: 6, existingJobId: service.jobs[0]?.id ?? "" });
      declare({ sales: job(adopting, byP2) });
      // The preview refuses it: the state says that another resource has the job.
      await succeeds(up(["--skip-preview"]));
      expect([sent(), service.jobs.length]).toEqual([[], 1]);
    },
  );
});

describeWith(javascript)("The classes and the plugin in one program", () => {
  test("leave a job that the one lets go and the other adopts", async () => {
    const { service, stack } = await serviceAndStack({ language: javascript, mode: "all" });
    const run = (text: string) => {
      const preamble =
        'const classes = require("pulumi-data-connectivity"); const sdk = require("pulumi-data-connectivity-sdk");';
      stack.setProgram(`${preamble}\n${text}`);
      return stack.up(["--skip-preview"]);
    };
    const declared = JSON.stringify(inputs());
    await succeeds(run(`new classes.CachingJob("orders", ${declared});`));
    const existingJobId = service.jobs[0]?.id ?? "";
    const adopted = JSON.stringify(inputs("ORDERS", { existingJobId }));
    await succeeds(run(`new sdk.CachingJob("sales", ${adopted});`));
    expect(service.jobs.map(({ id }) => id)).toEqual([existingJobId]);
    await succeeds(run(`new classes.CachingJob("orders", ${adopted});`));
    expect(service.jobs.map(({ id }) => id)).toEqual([existingJobId]);
    expect(posts(service.requests)).toBe(1);
  });
});
