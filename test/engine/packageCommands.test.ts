import { describeWithEngine } from "../support/describeWithEngine.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { matching, saying } from "../support/matchers.js";
import { startStack } from "../support/startStack.js";

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

describeWithEngine("The commands of the package", () => {
  afterEach(stopAll);

  test("jobs tells a created, a secret and an unconfirmed job of a real export apart", async () => {
    const close = { kind: "close", on: "create", after: 2 } as const;
    const service = await start({ faults: [close] });
    const { baseUrl, jobs } = service;
    const stack = await startStack({ program, env: settingsFor(service) });
    expect((await stack.up(["--skip-preview"])).exitCode).toBe(1);

    for (const more of ["", "--show-secrets"]) {
      const { exitCode, stdout } = await stack.shell(
        `pulumi stack export --file state.json ${more} && pulumi-data-connectivity jobs state.json --json`,
      );
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        jobs: [
          { resource: "hidden", jobId: jobs[1]?.id, tableOrQuery: "(secret)", outcome: "created", service: baseUrl },
          { resource: "late", jobId: null, tableOrQuery: "LATE", outcome: "unconfirmed" },
          { resource: "orders", jobId: jobs[0]?.id, tableOrQuery: "ORDERS", schedule: "every 4 Hour" },
        ],
      });
      expect(stdout).not.toContain("HIDDEN");
    }
  });

  test("doctor reads a stack's configuration, and names the source of each setting", async () => {
    const { baseUrl, token, requests } = await start();
    const stack = await startStack({
      program,
      config: {
        "data-connectivity:baseUrl": baseUrl,
        "data-connectivity:token": { secret: token },
        "data-connectivity:accounts.eu.token": { secret: token },
        "data-connectivity:accounts.us.credentialsCommand": "pwd",
        "data-connectivity:accounts.us.timeoutSeconds": "5",
      },
    });
    const doctor = `cd / && pulumi-data-connectivity doctor --cwd ${stack.folder} --stack test`;
    const { exitCode, stdout } = await stack.shell(doctor, { PULUMI_STACK: undefined });
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
    const config = { "data-connectivity:baseUrl": baseUrl, "data-connectivity:token": token };
    const { exitCode, stdout } = await (await startStack({ program, config })).shell("pulumi-data-connectivity doctor");
    expect(exitCode).toBe(1);
    expect(stdout).toContain("data-connectivity:token is in plain text.");
    expect(stdout).toContain(
      "Set it again as a secret: pulumi config set --stack test --secret data-connectivity:token",
    );
  });

  test("doctor says why a stack's configuration could not be read", async () => {
    const stack = await startStack({ program, config: { "data-connectivity:token": { secret: "t" } } });
    const doctor = (env: NodeJS.ProcessEnv) => stack.shell("pulumi-data-connectivity doctor", env);
    const absent = await stack.shell("pulumi-data-connectivity doctor --stack absent");
    expect(absent).toMatchObject({ exitCode: 1, stderr: saying("no stack named 'absent' found") });
    expect(absent.stderr).toContain("Run the same by hand: pulumi config --stack absent");
    expect(await doctor({ PULUMI_CONFIG_PASSPHRASE: "wrong" })).toMatchObject({
      exitCode: 1,
      stderr: saying("incorrect passphrase"),
    });
    expect(await doctor({ PULUMI_STACK: undefined, PULUMI_HOME: `${stack.folder}/other-home` })).toMatchObject({
      stdout: matching(/^Settings from the environment alone: no stack is selected; name one with --stack/),
    });
  });

  test("a hook runs a job after it was created and changed, and --all finds the stacks of the project", async () => {
    const service = await start();
    const config = {
      "data-connectivity:baseUrl": service.baseUrl,
      "data-connectivity:token": { secret: service.token },
      "data-connectivity:jobOperations": "all",
    };
    const hooked = (intervalValue: number) => `
const { CachingJob, runJob } = require("pulumi-data-connectivity");
const pulumi = require("@pulumi/pulumi");
const run = new pulumi.ResourceHook("run", ({ id }) => runJob(String(id)));
const params = { sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f", sourceName: "S", sourceSchema: "P" };
new CachingJob("orders",
  { intervalUnit: "Hour", intervalValue: ${intervalValue}, logVerbosity: 2, params: { ...params, sourceTable: "ORDERS" } },
  { hooks: { afterCreate: [run], afterUpdate: [run] } });
`;
    const stack = await startStack({ program: hooked(4), config });
    const runs = () => service.requests.filter(({ operation }) => operation === "run").map(({ status }) => status);
    const counts = [];
    for (const intervalValue of [4, 5, 5]) {
      stack.setProgram(hooked(intervalValue));
      expect(await stack.up()).toMatchObject({ exitCode: 0 });
      counts.push(runs());
    }
    expect(counts).toEqual([[200], [200, 200], [200, 200]]);
    const id = service.jobs[0]?.id ?? "";
    const printed = await stack.shell(
      "pulumi stack init other && pulumi-data-connectivity jobs --all && pulumi-data-connectivity jobs --at-service --all",
    );
    expect(printed).toMatchObject({ exitCode: 1, stdout: matching(`orders +${id}`) });
    expect(printed.stderr).toContain("The address of the service is not set.");
  });
});
