import { rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../provider/src/version.js";
import { declaration } from "../support/declaration.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import type { ConfigValue } from "../support/engine.js";
import { exampleFolder } from "../support/example.js";
import { PackedPlugin } from "../support/plugin/archives.js";
import { isOnPath } from "../support/plugin/languages.js";
import { succeeds } from "../support/plugin/pluginStack.js";
import { startStack } from "../support/startStack.js";
import { isTool } from "../support/testWith.js";

// The first time, Go takes minutes to compile Pulumi's SDK.
describe("An example with the plugin, with the SDK that the CLI makes for it", () => {
  let packed: PackedPlugin | undefined;
  afterAll(() => {
    packed?.dispose();
  });
  afterEach(stopAll);

  async function createsJobs(name: string, config: Readonly<Record<string, ConfigValue>>, env: NodeJS.ProcessEnv = {}) {
    packed ??= new PackedPlugin();
    const stack = await startStack({ program: exampleFolder(name), env });
    // The example uses only what the user's npm or pip installs, and no package of this workspace.
    rmSync(join(stack.folder, "node_modules"), { recursive: true });
    await stack.setConfig(config);
    const from = ["--file", packed.archive("linux-amd64")];
    await succeeds(stack.run(["plugin", "install", "resource", "data-connectivity", version, ...from]));
    await succeeds(stack.run(["install"]));
    await succeeds(stack.up());
    await succeeds(stack.up(["--skip-preview", "--expect-no-changes"]));
  }

  const { sourceConnection } = declaration.params;
  const testHere = (runtime: string, isHere = true) =>
    isHere && isOnPath(`pulumi-language-${runtime}`) ? test : test.skip;

  async function createsInOneAccount(name: string): Promise<string[]> {
    const service = await start();
    await createsJobs(name, { sourceConnection }, settingsFor(service));
    return service.jobs.map((job) => job.name).sort();
  }

  testHere("yaml")("(yaml) makes a caching job and a query", async () => {
    expect(await createsInOneAccount("yaml")).toEqual(["ORDERS", "daily totals"]);
  });

  testHere("go", isTool("go", "version"))("(go) makes its job", async () => {
    expect(await createsInOneAccount("go")).toEqual(["ORDERS"]);
  });

  async function createsInTwoAccounts(name: string): Promise<string[][]> {
    const [eu, us] = [await start(), await start()];
    await createsJobs(name, {
      "sourceConnections.eu": sourceConnection,
      "sourceConnections.us": sourceConnection,
      euBaseUrl: eu.baseUrl,
      usBaseUrl: us.baseUrl,
      euToken: { secret: eu.token },
      usToken: { secret: us.token },
    });
    return [eu, us].map(({ jobs }) => jobs.map((job) => job.name).sort());
  }

  testHere("nodejs")("(explicit-providers) makes one job in each account", async () => {
    expect(await createsInTwoAccounts("explicit-providers")).toEqual([["ORDERS"], ["ORDERS"]]);
  });

  testHere("python", isTool("python3", "--version"))("(python) makes a job for each row of its file", async () => {
    expect(await createsInTwoAccounts("python")).toEqual([["CUSTOMERS", "ORDERS"], ["ORDERS"]]);
  });
});
