import { posts, stopAll } from "../support/emulated.js";
import { inputs } from "../support/plugin/configuredPlugin.js";
import { describeWith, javascript } from "../support/plugin/languages.js";
import { serviceAndStack } from "../support/startStack.js";

describeWith(javascript)("With the plugin, an onError hook that repeats an unconfirmed create", () => {
  afterEach(stopAll);

  test.each([
    ["three times fails the run", "--left > 0", 1],
    ["as often as it is asked does not lose the record", "true", 0],
  ])("%s, and one request is sent", async (_what, retry, exitCode) => {
    const faults = [{ kind: "reset", on: "create", processed: true }] as const;
    const { service, stack } = await serviceAndStack({ language: javascript, faults });
    const program = `
        const pulumi = require("@pulumi/pulumi");
        const sdk = require("pulumi-data-connectivity-sdk");
        let left = 3;
        const again = new pulumi.ErrorHook("again", async () => ${retry});
        new sdk.CachingJob("orders", ${JSON.stringify(inputs())}, { hooks: { onError: [again] } });`;
    stack.setProgram(program);
    const result = await stack.up(["--skip-preview"]);
    expect(result.exitCode === 0 ? 0 : 1).toBe(exitCode);
    expect(result.output).toContain(
      "The resource's job may or may not exist. The resource is recorded as unconfirmed-",
    );
    expect(stack.state.resources.at(-1)).toMatchObject({
      id: expect.stringMatching(/^unconfirmed-/) as unknown,
      outputs: { origin: { outcome: "unconfirmed" } },
    });
    expect(posts(service.requests)).toBe(1);
  });
});
