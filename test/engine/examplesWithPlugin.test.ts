import { rmSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../provider/src/version.js";
import { declaration } from "../support/declaration.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { succeeds, type ConfigValue, type EngineStack } from "../support/engine.js";
import { exampleFolder } from "../support/example.js";
import { commandsOf, pageAt, root } from "../support/pages.js";
import { PackedPlugin } from "../support/plugin/archives.js";
import { isOnPath } from "../support/plugin/languages.js";
import { startStack } from "../support/startStack.js";
import { isTool } from "../support/testWith.js";

const isPython = isTool("python3", "--version");
const isGo = isTool("go", "version");
const isJava = isTool("mvn", "--version");

// The first time, Go takes minutes to compile Pulumi's SDK.
describe("A program with the plugin, with the SDK that the CLI makes for it", () => {
  let packed: PackedPlugin | undefined;
  afterAll(() => {
    packed?.dispose();
  });
  afterEach(stopAll);

  async function stackWithPlugin(program: string, env: NodeJS.ProcessEnv = {}) {
    packed ??= new PackedPlugin();
    const stack = await startStack({ program, env });
    const from = ["--file", packed.archive("linux-amd64")];
    await succeeds(stack.run(["plugin", "install", "resource", "data-connectivity", version, ...from]));
    return stack;
  }

  async function createsJobs(name: string, config: Readonly<Record<string, ConfigValue>>, env: NodeJS.ProcessEnv = {}) {
    const stack = await stackWithPlugin(exampleFolder(name), env);
    // The example uses only what the user's npm or pip installs, and no package of this workspace.
    rmSync(join(stack.folder, "node_modules"), { recursive: true });
    await stack.setConfig(config);
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

  testHere("go", isGo)("(go) makes its job", async () => {
    expect(await createsInOneAccount("go")).toEqual(["ORDERS"]);
  });

  testHere("java", isJava)("(java) makes a caching job and a query", async () => {
    expect(await createsInOneAccount("java")).toEqual(["ORDERS", "daily totals"]);
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

  testHere("python", isPython)("(python) makes a job for each row of its file", async () => {
    expect(await createsInTwoAccounts("python")).toEqual([["CUSTOMERS", "ORDERS"], ["ORDERS"]]);
  });

  /** Runs what `pulumi new` makes as it is: by the line of a page that begins so, and then with these lines. */
  async function makesJobOf(page: string, stack: EngineStack, lines: readonly string[], template = "yaml") {
    const line = commandsOf(pageAt(page)).find((command) => command.startsWith("pulumi new "));
    const make = line?.replace("templates/yaml", `templates/${template}`).replace("--stack dev", "--stack test");
    const up = "pulumi up --yes --suppress-progress";
    const script = ["set -e", "mkdir clone", "cd clone", make, ...lines, up, `${up} --expect-no-changes`].join("\n");
    await succeeds(stack.shell(script, { CLONE: root, clone: root }));
  }

  async function makesItsJob(template: string): Promise<void> {
    const service = await start();
    const stack = await stackWithPlugin("", settingsFor(service));
    await makesJobOf("docs/other-languages.md", stack, ["cd ../my-jobs"], template);
    expect(service.jobs.map((job) => job.name)).toEqual(["ORDERS"]);
  }

  // test/engine/otherLanguages.test.ts does it for YAML.
  testHere("python", isPython)("(templates/python) makes its job", () => makesItsJob("python"));
  testHere("go", isGo)("(templates/go) makes its job", () => makesItsJob("go"));
  testHere("java", isJava)("(templates/java) makes its job", () => makesItsJob("java"));

  testHere("nodejs")("(templates/typescript) makes its job", async () => {
    const service = await start();
    // The package and the SDK are in the stack's folder, above the project.
    const stack = await startStack({ program: "", env: settingsFor(service) });
    await makesJobOf("README.md", stack, ["cd ../my-jobs", "pulumi stack init test"]);
    expect(service.jobs.map((job) => job.name)).toEqual(["ORDERS"]);
  });
});
