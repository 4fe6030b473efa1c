import { describeWithEngine } from "../support/describeWithEngine.js";
import { engineForEachTest } from "../support/engineFixture.js";
import { job } from "../support/scenarios/scenario.js";

const secret = "HUSH";
const password = `additionalParams: { password: pulumi.secret("${secret}") }`;

describeWithEngine("With the classes, a secret is not saved in clear text,", () => {
  const engine = engineForEachTest({ config: { "data-connectivity:jobOperations": "all" } });

  test("if ignoreChanges puts it in place of a plain value", async () => {
    await engine().play({ program: job("orders", password), posts: 1 });
    const placeholder = 'additionalParams: { password: "placeholder" }, intervalValue: 6';
    const program = job("orders", placeholder, 'ignoreChanges: ["additionalParams.password"]');
    await engine().play({ program });
    expect(engine().stack.stateText()).not.toContain(secret);
  });

  test.each([
    ["plain values", ""],
    ["an output", 'params: params({ sourceSchema: pulumi.output("PUBLIC") })'],
  ])("if a transform adds it beside %s", async (_beside, params) => {
    const transform = `pulumi.runtime.registerStackTransformation(({ props, opts }) => ({ props: { ...props, ${password} }, opts }));`;
    await engine().play({ program: transform + job("orders", params), posts: 1 });
    expect(engine().stack.stateText()).not.toContain(secret);
  });

  test.each([
    ["plain values", '"PUBLIC"'],
    ["an output", 'pulumi.output("PUBLIC")'],
  ])("if a lost reply leaves it open whether it was sent, beside %s", async (_beside, schema) => {
    const params = (more: string) => `params: params({ sourceSchema: ${schema}${more} })`;
    await engine().play({ program: job("orders", params("")), posts: 1 });
    await engine().play({
      program: job("orders", params(`, timeCheckColumn: pulumi.secret("${secret}")`)),
      faults: [{ kind: "reset", on: "update", processed: true, times: 9 }],
      exitCode: 1,
      says: ["Do not run pulumi refresh before that: it would save a new secret in clear text."],
    });
    await engine().play({});
    expect(engine().stack.stateText()).not.toContain(secret);
  });
});
