import { start, stopAll } from "../support/emulated.js";
import { fails, succeeds } from "../support/engine.js";
import { inputs } from "../support/plugin/inputs.js";
import { describeWith, yaml } from "../support/plugin/languages.js";
import { job, provider } from "../support/plugin/declared.js";
import { serviceAndStack, startStack } from "../support/startStack.js";

afterEach(stopAll);

describeWith(yaml)("A new token", () => {
  test.each([
    { of: "the configuration", key: "data-connectivity:token" },
    { of: "a named account", key: "data-connectivity:accounts.eu.token", more: { account: "eu" } },
    { of: "an explicit provider" },
  ])("of $of is used by a plain destroy after an up, or with --run-program", async ({ key, more }) => {
    let accepted = "old";
    const { baseUrl } = await start({ acceptToken: (token) => token === accepted });
    const stack = await startStack({ language: yaml, env: { DATA_CONNECTIVITY_BASE_URL: baseUrl } });
    await stack.setConfig({ "data-connectivity:jobOperations": "all" });
    const orders = job(inputs("ORDERS", more), key === undefined ? { provider: "${main}" } : {});
    const setTo = async (token: string) => {
      if (key === undefined) stack.declare({ main: provider({ jobOperations: "all", token }), orders });
      else {
        stack.declare({ orders });
        await stack.setConfig({ [key]: { secret: token } });
      }
    };
    await setTo("old");
    await succeeds(stack.up());
    accepted = "new";
    await setTo("new");
    const destroy = ["destroy", "--yes", "--skip-preview"];
    expect(await fails(stack.run(destroy))).toContain(
      "After you correct the token, run pulumi up first: pulumi refresh and pulumi destroy use the settings of the last pulumi up. Or run them with --run-program.",
    );
    await succeeds(stack.run(["refresh", "--yes", "--skip-preview", "--run-program"]));
    await succeeds(stack.up());
    await succeeds(stack.run(destroy));
  });
});

describeWith(yaml)("With the plugin in mode create, a replacement by an option", () => {
  test.each(["preview", "up"] as const)("is refused in %s, and causes no second job", async (command) => {
    const { service, stack, sent } = await serviceAndStack({ mode: "create" });
    const declare = (trigger: string) => {
      const options = { replacementTrigger: trigger, customTimeouts: { create: "30s" } };
      stack.declare({ orders: job(inputs(), options) });
    };
    declare("1");
    await succeeds(stack.up());
    declare("2");
    expect(await fails(stack[command]())).toContain(
      "the option replaceWith or replacementTrigger replaces the resource",
    );
    expect([sent(), service.jobs.length]).toEqual([["POST"], 1]);
  });
});
