import { existsSync, readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { start, stopAll } from "../support/emulated.js";
import { createStack, type EngineStack } from "../support/engine.js";
import { CliFolder } from "./cliProcess.js";

const program = `
const { CachingJob } = require("pulumi-data-connectivity");
const pulumi = require("@pulumi/pulumi");
const params = { sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f", sourceName: "S", sourceSchema: "P" };
const schedule = { intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2 };
const orders = new CachingJob("orders", { ...schedule, params: { ...params, sourceTable: "ORDERS" } });
const hidden = new CachingJob("hidden",
  { ...schedule, params: { ...params, sourceTable: pulumi.secret("HIDDEN") } }, { dependsOn: orders });
new CachingJob("late", { ...schedule, params: { ...params, sourceTable: "LATE" } }, { dependsOn: hidden });
`;

const resource = z.looseObject({ type: z.string(), urn: z.string() });
const stateFile = z.looseObject({
  checkpoint: z.looseObject({
    latest: z.looseObject({ resources: z.array(resource), pending_operations: z.array(z.unknown()).optional() }),
  }),
});

describeWithEngine("with a real engine", () => {
  const folder = new CliFolder();
  const stacks: EngineStack[] = [];
  const newStack = async (config: Parameters<typeof createStack>[0]["config"], env: NodeJS.ProcessEnv = {}) => {
    const stack = await createStack({ program, config: config ?? {}, env });
    stacks.push(stack);
    return stack;
  };
  afterAll(async () => {
    await Promise.all(stacks.map((stack) => stack.dispose()));
  });
  afterEach(stopAll);

  /** The environment in which the stack's own commands run. */
  const engineEnvironment = (stack: EngineStack) => ({
    PULUMI_HOME: `${stack.folder}/home`,
    PULUMI_BACKEND_URL: `file://${stack.folder}/state`,
    PULUMI_CONFIG_PASSPHRASE: "passphrase",
    PULUMI_SKIP_UPDATE_CHECK: "true",
  });

  /** What a killed run leaves in the state file; `pulumi stack import` would drop it. */
  function leaveCreatesOpen(stack: EngineStack): void {
    const file = `${stack.folder}/state/.pulumi/stacks/acceptance/test.json`;
    const saved = stateFile.parse(JSON.parse(readFileSync(file, "utf8")));
    const { latest } = saved.checkpoint;
    latest.pending_operations = latest.resources
      .filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/data-connectivity:"))
      .map((resource) => ({ type: "creating", resource: { ...resource, urn: `${resource.urn}-new`, id: "" } }));
    writeFileSync(file, JSON.stringify(saved));
  }

  test("jobs tells a created, a secret and an unconfirmed job of a real export apart", async () => {
    const close = { kind: "close", on: "create", after: 2 } as const;
    const { baseUrl, token, jobs } = await start({ faults: [close] });
    const stack = await newStack({ "data-connectivity:baseUrl": baseUrl }, { DATA_CONNECTIVITY_TOKEN: token });
    expect((await stack.up(["--skip-preview"])).exitCode).toBe(1);

    for (const more of [[], ["--show-secrets"]]) {
      const file = `${folder.path}/state${more.length}.json`;
      expect((await stack.run(["stack", "export", "--file", file, ...more])).exitCode).toBe(0);
      expect(existsSync(file)).toBe(true);
      const { exitCode, stdout } = await folder.run(["jobs", file, "--json"]);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        jobs: [
          { resource: "hidden", jobId: jobs[1]?.id, tableOrQuery: "(secret)", outcome: "created", service: baseUrl },
          { resource: "late", jobId: null, tableOrQuery: "LATE", outcome: "unconfirmed" },
          { resource: "orders", jobId: jobs[0]?.id, tableOrQuery: "ORDERS", schedule: "every 4 Hour" },
        ],
        pendingOperations: [],
      });
      expect(stdout).not.toContain("HIDDEN");
    }
  });

  test("the command that jobs gives after a killed run removes all its marks at once, and jobs --check passes then", async () => {
    const { baseUrl, token } = await start();
    const stack = await newStack({ "data-connectivity:baseUrl": baseUrl }, { DATA_CONNECTIVITY_TOKEN: token });
    expect((await stack.up(["--skip-preview"])).exitCode).toBe(0);
    leaveCreatesOpen(stack);

    const check = async () => await stack.shell("pulumi stack export | pulumi-data-connectivity jobs --check");
    const before = await check();
    expect(before).toMatchObject({ exitCode: 1, stderr: "" });
    expect(before.stdout).toContain("left 3 operations on jobs open");
    const [clear = ""] = /pulumi refresh --clear-pending-creates.*$/m.exec(before.stdout) ?? [];
    expect((await stack.shell(clear)).exitCode).toBe(0);
    expect(await check()).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test("doctor reads a stack's configuration, and names the source of each setting", async () => {
    const { baseUrl, token, requests } = await start();
    const stack = await newStack({
      "data-connectivity:baseUrl": baseUrl,
      "data-connectivity:token": { secret: token },
      "data-connectivity:accounts.eu.token": { secret: token },
      "data-connectivity:accounts.us.credentialsCommand": "pwd",
      "data-connectivity:accounts.us.timeoutSeconds": "5",
    });
    const { exitCode, stdout } = await folder.run(
      ["doctor", "--cwd", stack.folder, "--stack", "test"],
      engineEnvironment(stack),
    );
    const lines = stdout.split("\n").map((line) => line.trim().replace(/ +/g, " "));
    expect(lines[0]).toBe("Settings from the environment, then the stack test (pulumi config)");
    expect(lines).toContain(`baseUrl ${baseUrl} data-connectivity:baseUrl`);
    expect(lines).toContain("token present data-connectivity:token");
    expect(lines).toContain("accounts.eu.token present data-connectivity:accounts");
    expect(lines).toContain("accounts.us.timeoutSeconds 5 data-connectivity:accounts");
    expect(lines.filter((line) => /^(The unnamed a|A)ccount|^\w+ list/.test(line))).toEqual([
      "The unnamed account",
      "ok list the service answers with 12 data sources",
      "Account eu",
      "ok list the service answers with 12 data sources",
      "Account us",
      expect.stringContaining("FAILED list"),
    ]);
    expect(stdout).not.toContain(token);
    expect(requests).toHaveLength(3);
    expect(exitCode).toBe(1);
  });

  test("doctor refuses a token in plain stack configuration as the program does", async () => {
    const { baseUrl, token } = await start();
    const stack = await newStack({ "data-connectivity:baseUrl": baseUrl, "data-connectivity:token": token });
    const { exitCode, stdout } = await folder.run(["doctor", "--cwd", stack.folder], {
      ...engineEnvironment(stack),
      PULUMI_STACK: "test",
    });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("data-connectivity:token is in plain text.");
    expect(stdout).toContain("Set it again as a secret: pulumi config set --secret data-connectivity:token");
  });

  test("doctor says why a stack's configuration could not be read", async () => {
    const stack = await newStack({ "data-connectivity:token": { secret: "t" } });
    const env = engineEnvironment(stack);
    const [absent, locked, none] = await Promise.all([
      folder.run(["doctor", "--cwd", stack.folder, "--stack", "absent"], env),
      folder.run(["doctor", "--cwd", stack.folder, "--stack", "test"], { ...env, PULUMI_CONFIG_PASSPHRASE: "wrong" }),
      folder.run(["doctor", "--cwd", stack.folder], { ...env, PULUMI_HOME: `${stack.folder}/other-home` }),
    ]);
    expect([absent.exitCode, locked.exitCode]).toEqual([1, 1]);
    expect(absent.stderr).toContain("no stack named 'absent' found");
    expect(absent.stderr).toContain("Run the same by hand: pulumi config --stack absent");
    expect(locked.stderr).toContain("incorrect passphrase");
    expect(none.stdout).toContain("Settings from the environment alone: no stack is selected; name one with --stack");
  });
});
