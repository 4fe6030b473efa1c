import { chmodSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { JOB, JOBS, LIST, settingsFor, start, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { including, saying } from "../support/matchers.js";
import {
  allOperations,
  CliFolder,
  configOf,
  configuredProject,
  examine,
  examineInProcess,
  ownSettings,
} from "./cliProcess.js";
import { exported, inClear, ofProvider, originAt, resource } from "./exportedState.js";

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
    expect(await examineInProcess(project, env, ["--cwd", cwd])).toMatchObject({ exitCode: 0, stderr: "" });
  }
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
});

describe("A provider that the program declares", () => {
  const examineStack = (resources: unknown[], env?: NodeJS.ProcessEnv, args?: string[]) =>
    examine(configuredProject({}, exported(resources)), env, args);

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
      passed: false,
      checks: [
        ...["address", "token", "list"].map((check) => ({ account: null, provider: null, check, result: "passed" })),
        ...["address", "token"].map((check) => ({ provider: "eu", check, result: "passed", fix: null })),
        { provider: "eu", check: "list", result: "failed", what: saying("401"), fix: saying("Set a working token") },
      ],
    });
    expect(stdout).not.toContain('"wrong"');
  });

  test.each([
    ["error", 'what pulumi stack export printed cannot be read: its first line is "error".'],
    ['{"version":3,"secret":', "what pulumi stack export printed cannot be read: it is not complete JSON."],
  ])("fails if the stack cannot be exported: %s", async (text, why) => {
    const emulator = await start();
    const lines = including([
      `FAILED providers The providers that the program declares are not checked: ${why}`,
      "ok list the service answers with 12 data sources",
    ]);
    expect(await examine(configuredProject({}, text), settingsFor(emulator))).toMatchObject({ exitCode: 1, lines });
  });

  test("cannot be read with a wrong passphrase: the CLI's reason is printed once, and nothing else is blamed", async () => {
    const project = configuredProject({});
    const failing = 'echo "I1128 a log line" >&2; echo "error: incorrect passphrase" >&2; exit 255';
    chmodSync(
      project.write("bin/pulumi", `#!/bin/sh\ncase "$1" in config) echo "{}" ;; *) ${failing} ;; esac\n`),
      0o755,
    );
    const { exitCode, lines } = await examine(project);
    expect(exitCode).toBe(1);
    expect(lines.slice(-5)).toEqual([
      "FAILED providers The providers that the program declares are not checked: pulumi stack export says: incorrect passphrase",
      "Run the same by hand: pulumi stack export",
      "",
      "1 check failed.",
      "",
    ]);
    const listed = await project.run(["connections"]);
    expect(listed).toMatchObject({
      exitCode: 1,
      stderr: "pulumi stack export says: incorrect passphrase\n",
      stdout: "",
    });
  });
});

test.each([
  ["another subject than the stack's jobs", "subject-of-jobs", undefined, 1],
  ["another subject, of another account", "subject-of-jobs", "eu", 0],
  ["no subject to compare with", undefined, undefined, 0],
])("a token of %s", async (_what, subject, account, exitCode) => {
  const emulator = await start({ token: jwt({ iss: "parent", sub: "sub-2" }), acceptToken: () => true });
  const orders = resource("orders", { origin: { ...originAt(emulator.baseUrl, "created", account), subject } });
  const config = configOf({ eu: ownSettings({ ...emulator, token: "opaque" }) });
  const found = await examine(configuredProject(config, exported([orders])), settingsFor(emulator));
  expect(found.exitCode).toBe(exitCode);
  const failed = found.lines.filter((line) => line.startsWith("FAILED"));
  expect(failed).toEqual(exitCode === 0 ? [] : [saying("the one that last saw the stack's 1 job")]);
});

test("a token of another subject fails too if the stack's account has a name by now", async () => {
  const emulator = await start({ token: jwt({ iss: "parent", sub: "sub-2" }) });
  const origin = { ...originAt(emulator.baseUrl, "created", undefined), subject: "subject-of-jobs" };
  const project = configuredProject(
    { "data-connectivity:account": "main" },
    exported([resource("orders", { origin })]),
  );
  const { exitCode, stdout } = await examine(project, settingsFor(emulator));
  expect([exitCode, stdout]).toEqual([1, saying("the one that last saw the stack's 1 job")]);
});

test("an account of the stack's jobs that no setting names fails", async () => {
  const emulator = await start();
  const orders = resource("orders", { origin: originAt(emulator.baseUrl, "created", "eu") });
  const { exitCode, stdout } = await examine(configuredProject({}, exported([orders])), settingsFor(emulator));
  expect([exitCode, stdout]).toEqual([1, saying('No setting names the account "eu".')]);
});

test("of a stack that is named, each command names it, because another one may be selected", async () => {
  const { lines } = await examine(configuredProject({}), undefined, ["--stack", "prod"]);
  expect(lines.join("\n")).toContain("pulumi config set --stack prod data-connectivity:baseUrl");
});

describe("with a CLI that prints a stack's configuration", () => {
  const configured = (values: Readonly<Record<string, string>>, env?: NodeJS.ProcessEnv) =>
    examine(configuredProject(values), env);

  test("with jobOperations: all the list of jobs is checked too, and the default of protect is shown for it", async () => {
    const emulator = await start();
    emulator.addJob(JOB);
    const { exitCode, lines } = await configured(allOperations, settingsFor(emulator));
    expect(exitCode).toBe(0);
    expect(lines).toContain("jobOperations all data-connectivity:jobOperations");
    expect(lines).toContain("protect false (default)");
    const list = lines.indexOf("ok list the service answers with 12 data sources");
    expect(lines[list + 1]).toBe("ok jobs the service answers with 1 job");
    expect(emulator.requests.map(({ path }) => path)).toEqual([LIST, JOBS]);
  });

  test("a list that tells no source says what follows for mode all", async () => {
    const emulator = await start({ faults: [{ kind: "edited", on: "list", times: -1, edit: "withoutParams" }] });
    emulator.addJob(JOB);
    const { lines } = await configured(allOperations, settingsFor(emulator));
    expect(lines).toContain(
      "ok jobs the service answers with 1 job; the list does not report the source of 1, so a create reads each of these by its id. If that reports none either, no job is created in mode all: a second one for a source could not be recognized",
    );
  });

  test("a service that answers no list of jobs has the right address, and mode create is for it", async () => {
    const emulator = await start({ jobOperations: "create" });
    const { exitCode, lines } = await configured(allOperations, settingsFor(emulator));
    expect(exitCode).toBe(1);
    const failed = lines.findIndex((line) => line.startsWith("FAILED jobs GET /api/job/list failed with HTTP 404"));
    expect(lines[failed + 1]).toBe(
      "The address is right: the service answers the list of data sources. It does not answer this call. Mode create is for such a service: pulumi config set data-connectivity:jobOperations create",
    );
    expect(lines.join()).not.toContain("baseUrl: it must");
  });

  test("an account of its own mode is asked as it says: of two only one lists its jobs", async () => {
    const emulator = await start();
    const accounts = { eu: { credentialsCommand: `echo ${emulator.token}`, jobOperations: "all" } };
    const { exitCode, lines } = await configured(configOf(accounts), settingsFor(emulator));
    expect(exitCode).toBe(0);
    expect(lines.filter((line) => /^ok (list|jobs)|^(The unnamed a|A)ccount/.test(line))).toEqual([
      "The unnamed account",
      "ok list the service answers with 12 data sources",
      "Account eu",
      "ok list the service answers with 12 data sources",
      "ok jobs the service answers with 0 jobs",
    ]);
    expect(emulator.requests.filter(({ path }) => path === JOBS)).toHaveLength(1);
  });

  test("an unknown key of the namespace fails, with the nearest known one", async () => {
    const emulator = await start();
    const keys = { "data-connectivity:proteckt": "false", "other:colour": "red" };
    const { exitCode, lines } = await configured(keys, settingsFor(emulator));
    expect(exitCode).toBe(1);
    expect(lines.filter((line) => /^FAILED|pulumi config rm/.test(line))).toEqual([
      "FAILED settings data-connectivity:proteckt is not a setting.",
      "Did you mean data-connectivity:protect? Remove the wrong name: pulumi config rm data-connectivity:proteckt",
    ]);
  });

  test.each([
    [{ tokn: "hunter2" }, "accounts.eu.tokn present"],
    [
      { baseUrl: "https://jobs.example.com?access_token=hunter2" },
      "accounts.eu.baseUrl https://jobs.example.com and more (not shown)",
    ],
  ])("of an account with %j, nothing is shown that may be a token", async (eu, shown) => {
    const { stdout, lines } = await configured(configOf({ eu }));
    expect(lines).toContain(`${shown} data-connectivity:accounts`);
    expect(stdout).not.toContain("hunter2");
  });
});

test("variables that set options of the CLI choose the stack, the folder and the file of its settings, and nothing else", async () => {
  const emulator = await start();
  const project = configuredProject({});
  const record = `for call in "$*" $(env | grep -o '^PULUMI_[^=]*'); do echo "$call" >> "$(dirname "$0")/../calls.txt"; done`;
  const print = 'cat "$(dirname "$0")/../$1.json"';
  chmodSync(project.write("bin/pulumi", `#!/bin/sh\n${record}\n${print}\n`), 0o755);
  const options = {
    PULUMI_OPTION_STACK: "prod",
    PULUMI_OPTION_CWD: project.path,
    PULUMI_OPTION_CONFIG_FILE: "other.yaml",
    PULUMI_OPTION_FILE: "state.json",
    PULUMI_ENABLE_AUTOMATIC_LOGGING: "true",
  };
  const env = { ...settingsFor(emulator), ...options };
  const { exitCode, lines } = await examine(project, env);
  expect({ exitCode, from: lines[0] }).toEqual({
    exitCode: 0,
    from: "Settings from the environment, then the stack prod (pulumi config)",
  });
  const asked = (command: string) => `${command} --show-secrets --stack prod --non-interactive --color never`;
  expect(readFileSync(`${project.path}/calls.txt`, "utf8").trim().split("\n")).toEqual([
    asked("config --json --config-file other.yaml"),
    "PULUMI_SKIP_UPDATE_CHECK",
    asked("stack export"),
    "PULUMI_SKIP_UPDATE_CHECK",
  ]);
});

test.each([
  ["lines alone", "mise 1.0", 'its first line is "mise 1.0".'],
  ["another document", '{"level":"info"}', "it is JSON, but not a stack's configuration."],
])("settings that cannot be read are not taken for none: %s", async (_what, text, why) => {
  const project = configuredProject({});
  project.write("config.json", text);
  expect(await examine(project)).toMatchObject({
    exitCode: 1,
    stdout: "",
    stderr: `The configuration of the stack could not be read: what pulumi config printed cannot be read: ${why}\nRun the same by hand: pulumi config\n`,
  });
});

test("the stack that PULUMI_STACK chooses is named, in what is shown and in the commands to type", async () => {
  const emulator = await start();
  const project = configuredProject({ "data-connectivity:timeout": "5" });
  const env = { ...settingsFor(emulator), PULUMI_STACK: "prod" };
  const { lines, stdout } = await examine(project, env);
  expect(lines[0]).toBe("Settings from the environment, then the stack prod (pulumi config)");
  expect(stdout).toContain("pulumi config rm --stack prod data-connectivity:timeout");
});
