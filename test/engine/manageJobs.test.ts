import { declaration } from "../support/declaration.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { posts, settingsFor, start, stopAll } from "../support/emulated.js";
import { exampleFolder } from "../support/example.js";
import { codeBlocks, pageAt } from "../support/pages.js";
import { startStack } from "../support/startStack.js";

describeWithEngine("The example manage-jobs, its commands pasted one block after another", () => {
  afterEach(stopAll);

  test("creates, changes, shows drift, changes back, adopts and deletes", async () => {
    const service = await start();
    const seen = () => service.jobs.map(({ name, intervalValue }) => `${name} ${intervalValue}`);
    const stack = await startStack({
      program: exampleFolder("manage-jobs"),
      config: { sourceConnection: declaration.params.sourceConnection, "data-connectivity:jobOperations": "all" },
      env: settingsFor(service),
    });
    const [, , change, drift, adopt, destroy] = codeBlocks(pageAt("examples/manage-jobs/README.md"), "sh");
    const paste = async (block: string | undefined) => {
      const { exitCode, output, stdout } = await stack.shell(`set -e\n${block ?? ""}`);
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
      return stdout;
    };

    await paste("pulumi up");
    expect(seen()).toEqual(["ORDERS 4"]);

    expect(await paste(change)).toMatch(/~ intervalValue\s*: 4 => 6/);
    expect(seen()).toEqual(["ORDERS 6"]);
    expect(posts(service.requests)).toBe(1);

    expect(await paste(drift)).toMatch(/~ intervalValue\s*: 6 => 9/);
    expect(seen()).toEqual(["ORDERS 6"]);

    const sent = service.requests.length;
    expect(await paste(adopt)).toMatch(/CUSTOMERS .* -\n/);
    expect(seen()).toEqual(["ORDERS 6", "CUSTOMERS 24"]);
    // The POST of curl is the only request that changes anything.
    const changing = service.requests.slice(sent).filter(({ method }) => method !== "GET");
    expect(changing.map(({ method }) => method)).toEqual(["POST"]);

    await paste(destroy);
    expect(seen()).toEqual([]);
    expect(stack.state.resources.map(({ type }) => type)).not.toContainEqual(
      expect.stringContaining("data-connectivity"),
    );
  });
});
