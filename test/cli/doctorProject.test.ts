import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { start, stopAll } from "../support/emulated.js";
import { CliFolder } from "./cliProcess.js";
import { configuredProject, pathOf } from "./configuredProject.js";
import { exported, inClear, ofProvider, resource } from "./exportedState.js";
import { examine, settingsFor } from "./doctorHelper.js";

afterEach(stopAll);

test.each([
  ["a folder", "Pulumi.yaml", "name: p\nruntime: nodejs\nmain: program/\n", "program"],
  ["a file", "Pulumi.yaml", "main: program/index.ts # the entry\nname: p\nruntime: nodejs\n", "program"],
  ["a file, of a Pulumi.yml", "Pulumi.yml", "{ name: p, runtime: nodejs, main: 'program/index.ts' }", "program"],
  ["a file, of a Pulumi.json", "Pulumi.json", '{ "name": "p", "main": "program/index.ts" }', "program"],
  ["nothing", "Pulumi.yml", "name: p\nruntime:\n  name: nodejs\n  main: not-this\n", "."],
])("a credentialsCommand runs where the program does: main names %s", async (_, file, text, expected) => {
  const project = new CliFolder();
  mkdirSync(join(project.path, "program/deeper"), { recursive: true });
  project.write("program/index.ts", "");
  project.write(file, text);
  const root = realpathSync(project.path);
  const emulator = await start({ token: join(root, expected).replace(/\/\.$/, "") });
  const env = {
    // No CLI is on this PATH. The shell has pwd built in.
    PATH: project.path,
    DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
    DATA_CONNECTIVITY_CREDENTIALS_COMMAND: "pwd -P",
  };
  for (const cwd of [".", "program/deeper"]) {
    const { exitCode, stdout, stderr } = await examine(project, env, ["--cwd", cwd]);
    expect({ exitCode, stderr, stdout }).toMatchObject({ exitCode: 0, stderr: "" });
  }
  project.dispose();
});

test.each([
  ["a main that does not exist", "main: absent/index.ts\n", /Pulumi\.yaml: "main" names absent\/index\.ts, which does/],
  ["a file that is not YAML", "main: [\n", /Pulumi\.yaml could not be read: /],
])("%s is named, with exit code 1", async (_, text, says) => {
  const project = new CliFolder();
  project.write("Pulumi.yaml", text);
  const { exitCode, stdout, stderr } = await examine(project, { PATH: project.path });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(says);
  project.dispose();
});

describe("A provider that the program declares", () => {
  const examineStack = async (resources: unknown[], env: NodeJS.ProcessEnv = {}, args: string[] = []) => {
    const project = configuredProject({}, { exported: exported(resources) });
    const examined = await examine(project, { PATH: pathOf(project), ...env }, args);
    project.dispose();
    return examined;
  };

  test("is checked with its own settings, and a stack of such providers alone needs no configuration", async () => {
    const [eu, us] = [await start({ token: "secret-of-eu" }), await start()];
    const { exitCode, lines, stdout } = await examineStack([
      ...ofProvider("eu", { baseUrl: eu.baseUrl, token: inClear(eu.token), jobOperations: "all" }, resource("orders")),
      ...ofProvider("us", { baseUrl: us.baseUrl, accounts: inClear(`{"main":{"token":"${us.token}"}}`) }),
    ]);
    const at = lines.findIndex((line) => line.startsWith("- settings"));
    expect(lines.slice(at)).toEqual([
      "- settings not needed: all jobs of the stack have providers that the program declares",
      "",
      'Provider "eu"',
      `ok address ${eu.baseUrl} is well formed`,
      expect.stringMatching(/^ok token .* from the provider's input "token"$/),
      "ok list the service answers with 12 data sources",
      "ok jobs the service answers with 0 jobs",
      "",
      'Provider "us", account main',
      `ok address ${us.baseUrl} is well formed`,
      expect.stringMatching(/^ok token .* from the provider's input "accounts\.main\.token"$/),
      "ok list the service answers with 12 data sources",
      "",
      "All checks passed.",
      "",
    ]);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("secret-of-eu");
  });

  test("that fails is named in the JSON, and the configuration is checked where a job has it", async () => {
    const [own, configured] = [await start(), await start()];
    const wrong = ofProvider("eu", { baseUrl: own.baseUrl, token: inClear("wrong") });
    const { exitCode, stdout } = await examineStack([...wrong, resource("orders")], settingsFor(configured), [
      "--json",
    ]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      checks: [
        { provider: null, check: "address", result: "passed" },
        { provider: null, check: "token", result: "passed" },
        { provider: null, check: "list", result: "passed" },
        { provider: "eu", check: "address", result: "passed" },
        { provider: "eu", check: "token", result: "passed" },
        { provider: "eu", check: "list", result: "failed", what: expect.stringContaining("401") as string },
      ],
    });
  });

  test("without credentials is told which variable gives them", async () => {
    const { baseUrl } = await start();
    const { exitCode, stdout } = await examineStack(ofProvider("eu", { baseUrl }, resource("orders")));
    expect(exitCode).toBe(1);
    expect(stdout).toContain("or the environment variable DATA_CONNECTIVITY_TOKEN.");
  });

  test("is said to be unchecked where the stack cannot be exported", async () => {
    const emulator = await start();
    const project = configuredProject({}, { exported: "error" });
    const { exitCode, lines } = await examine(project, { PATH: pathOf(project), ...settingsFor(emulator) });
    project.dispose();
    expect(exitCode).toBe(0);
    expect(lines).toContainEqual(expect.stringMatching(/^- providers not checked: .*is not JSON/));
  });
});

describe("with a CLI that prints a stack's configuration", () => {
  const configured = async (values: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}) => {
    const project = configuredProject(values);
    const examined = await examine(project, { PATH: pathOf(project), ...env });
    project.dispose();
    return examined;
  };

  test("unknown keys of the namespace fail, with the nearest known one", async () => {
    const emulator = await start();
    const { exitCode, lines } = await configured(
      {
        "data-connectivity:proteckt": "false",
        "data-connectivity:baseURL": emulator.baseUrl,
        "data-connectivity:colour": "red",
        "data-connectivity:timeoutSeconds": "30",
        "other:proteckt": "false",
        "p:name": "x",
      },
      settingsFor(emulator),
    );
    expect(exitCode).toBe(1);
    const failed = lines.filter((line) => line.startsWith("FAILED"));
    expect(failed).toEqual([
      "FAILED settings data-connectivity:proteckt is not a setting.",
      "FAILED settings data-connectivity:baseURL is not a setting.",
      "FAILED settings data-connectivity:colour is not a setting.",
    ]);
    expect(lines).toContain(
      "Did you mean data-connectivity:protect? Remove the wrong name: pulumi config rm data-connectivity:proteckt",
    );
    expect(lines).toContain(
      "Did you mean data-connectivity:baseUrl? Remove the wrong name: pulumi config rm data-connectivity:baseURL",
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^Accepted: baseUrl, token, .*protect\. Remove .* pulumi config rm data-conn.*:colour$/),
    );
  });

  test("the value of a mistyped member of an account is not shown: it may be a token", async () => {
    const { stdout, lines } = await configured({ "data-connectivity:accounts": '{"eu":{"tokn":"hunter2"}}' });
    expect(lines).toContain("accounts.eu.tokn present data-connectivity:accounts");
    expect(stdout).not.toContain("hunter2");
  });

  test("an account's own address is shown without its query", async () => {
    const accounts = { eu: { baseUrl: "https://jobs.example.com?access_token=hunter2" } };
    const { lines } = await configured({ "data-connectivity:accounts": JSON.stringify(accounts) });
    expect(lines).toContain(
      "accounts.eu.baseUrl https://jobs.example.com with a query (not shown) data-connectivity:accounts",
    );
  });
});
