import { z } from "zod";
import { subjectOf } from "../../provider/src/client/token.js";
import { jwt } from "../support/jwt.js";
import { matching } from "../support/matchers.js";
import { JOB, JOBS, LIST, settingsFor, start, stopAll } from "../support/emulated.js";
import { allOperations, askService, CliFolder, configOf, configuredProject, ownSettings } from "./cliProcess.js";
import {
  caching,
  declaredBody,
  declares,
  encrypted,
  exported,
  originAt,
  params,
  resource,
  startWith,
  unconfirmed,
} from "./exportedState.js";

afterEach(stopAll);

const query = { ...JOB, jobType: "ScheduledQuery", params: { name: "revenue", query: "select hidden" } };
const created = "2026-11-20T13:28:23.6280000Z";
const pathsOf = (requests: readonly { path: string }[]) => requests.map(({ path }) => path);

test("lists the jobs of the service with one request, and shows of params only the source", async () => {
  const service = await start();
  service.addJob(JOB, { id: "job-1", created });
  service.addJob(query, { id: "job-2", created, enabled: false });
  service.changeJob("job-1", { lastRun: { dateTime: created, status: "SOME_STATUS", rowsAffected: 7 } });
  const { exitCode, lines, stderr, stdout } = await askService(service);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(lines).toEqual([
    "PROBLEM | JOB ID | JOB TYPE | CONNECTION | SCHEMA | TABLE OR QUERY | SCHEDULE | ENABLED | CREATED | LAST RUN | STATUS | ROWS",
    `failed | job-1 | Caching | Snowflake1 | PUBLIC | ORDERS | every 4 Hour | true | ${created} | ${created} | SOME_STATUS | 7`,
    `- | job-2 | ScheduledQuery | - | - | revenue | every 4 Hour | false | ${created} | - | JOB_QUEUED | 0`,
    "2 jobs",
    "",
  ]);
  expect(stdout).not.toMatch(/hidden/i);
  expect(pathsOf(service.requests)).toEqual([JOBS]);
});

test.each(["sourceSchema", "sourceConnection"])("a secret %s is not shown from the list either", async (member) => {
  const service = await startWith({ "job-1": declaredBody("ORDERS") });
  const inputs = { params: { ...params, [member]: encrypted } };
  const stack = exported([resource("orders", { origin: originAt(service.baseUrl), inputs })]);
  const { stdout } = await askService(service, { stack });
  expect(stdout).toContain("(secret)");
  expect(stdout).not.toContain(member === "sourceSchema" ? "HIDDEN_SCHEMA" : "Snowflake1");
});

test("with the export of a stack it says which resource has each job, and which may have created it", async () => {
  const others = Object.fromEntries(["job-1", "job-2", "job-3"].map((id) => [id, caching(id)]));
  const service = await startWith({ ...others, "job-4": declaredBody("LATE") });
  const origin = originAt(service.baseUrl);
  const stack = exported([
    resource("orders", { id: "job-1", origin }),
    resource("elsewhere", { id: "job-2", origin: originAt("https://other.example.com") }),
    resource("hidden", { id: "job-3", origin, inputs: { params: encrypted } }),
    unconfirmed("late", declares("LATE")),
  ]);
  const { exitCode, lines, stderr } = await askService(service, { stack });
  expect(exitCode).toBe(1);
  expect(stderr).toBe(
    "Stack dev, the unnamed account: jobs that the stack has at https://other.example.com were not looked for, because the settings that were read do not name this account, or name another address, or because the token does not show the subject of these jobs.\n",
  );
  expect(lines.map((line) => line.replace(/every 4 Hour \| true .* 0 /, ""))).toEqual([
    expect.stringMatching(/ROWS \| EXISTS IN \| SERVICE \| RESOURCE$/),
    `- | job-1 | Caching | Snowflake1 | PUBLIC | job-1 | | both | ${service.baseUrl} | orders`,
    `- | job-2 | Caching | Snowflake1 | PUBLIC | job-2 | | service only | ${service.baseUrl} | -`,
    `- | job-3 | Caching | (secret) | (secret) | (secret) | | both | ${service.baseUrl} | hidden`,
    `unconfirmed | job-4 | Caching | Snowflake1 | HIDDEN_SCHEMA | LATE | | perhaps both | ${service.baseUrl} | late (unconfirmed: perhaps this job)`,
    `- | job-2 | Caching | ${JOB.params.sourceConnection} | HIDDEN_SCHEMA | ORDERS | every 4 Hour | - | - | - | - | - | stack (service not asked) | https://other.example.com | elsewhere`,
    "4 jobs, 1 of them not in the stack, 1 perhaps, 1 more in the stack and not looked for",
    "Incomplete: 1 list is missing (Stack dev, the unnamed account), as standard error says.",
    "",
  ]);
});

test("asks each account with its own credentials, and shows a job that two accounts list once", async () => {
  const [one, two] = [await start(), await start({ token: "two" })];
  one.addJob(JOB, { id: "job-1", created });
  two.addJob(JOB, { id: "job-2", created });
  const config = { ...allOperations, ...configOf({ eu: ownSettings(two), same: ownSettings(one) }) };
  const { exitCode, lines } = await askService(one, { config });
  expect(exitCode).toBe(0);
  expect(lines.map((line) => line.split(" | ").slice(-2).join(" | ")).slice(0, 3)).toEqual([
    "SERVICE | ACCOUNT",
    `${one.baseUrl} | -`,
    `${two.baseUrl} | eu`,
  ]);
  expect(lines[3]).toBe("2 jobs");
});

test("--json prints the same, with null for what is not known", async () => {
  const service = await startWith({ "job-1": JOB, "job-2": caching("ITEMS") }, { created, nextRunTime: created });
  const stack = exported([resource("orders", { id: "job-1", origin: originAt(service.baseUrl) })]);
  const { exitCode, stdout } = await askService(service, { args: ["--json"], stack });
  expect(exitCode).toBe(0);
  const common = {
    ...{ jobType: "Caching", schedule: "every 4 Hour", enabled: true },
    ...{ created, nextRunTime: created, service: service.baseUrl, account: null, provider: null },
    ...{ connection: "Snowflake1", schema: "PUBLIC" },
    lastRun: { dateTime: null, duration: null, status: "JOB_QUEUED", rowsAffected: 0 },
    ...{ problem: "overdue", problems: ["overdue"], otherJobIds: [], listedFor: null },
  };
  const urn = "urn:pulumi:dev::proj::pulumi-nodejs:dynamic/data-connectivity:CachingJob::orders";
  expect(JSON.parse(stdout)).toEqual({
    jobs: [
      {
        jobId: "job-1",
        ...common,
        tableOrQuery: "ORDERS",
        existsIn: "both",
        stack: "dev",
        project: "proj",
        resource: "orders",
        urn,
        resourceState: "known",
        otherUrns: [],
      },
      {
        jobId: "job-2",
        ...common,
        tableOrQuery: "ITEMS",
        existsIn: "service",
        stack: null,
        project: null,
        resource: null,
        urn: null,
        resourceState: null,
        otherUrns: null,
      },
    ],
    incompleteJobs: null,
    notListed: [],
  });
});

describe("Where jobOperations is not all", () => {
  test("nothing is sent, and the message says what to type", async () => {
    const service = await start();
    const { exitCode, stdout, stderr } = await askService(service, {
      config: {},
      args: ["--stack", "it's", "--cwd", "."],
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toBe(
      "The unnamed account: its jobs are not listed, because the setting jobOperations is not all. Nothing was sent. " +
        "To allow it (pulumi up may then change and delete jobs, too): pulumi config set --cwd . --stack 'it'\\''s' data-connectivity:jobOperations all\n",
    );
    expect(service.requests).toEqual([]);
  });

  test("for one account, the jobs of the others are listed", async () => {
    const [all, create] = [await startWith({ "job-1": JOB }), await start()];
    const config = { ...allOperations, ...configOf({ eu: { ...ownSettings(create), jobOperations: "create" } }) };
    const { exitCode, lines, stderr } = await askService(all, { config });
    expect(exitCode).toBe(0);
    expect(lines[1]).toMatch(/^job-1 \|/);
    expect(stderr).toMatch(
      /^Account eu: .* pulumi config set --path data-connectivity:accounts\.eu\.jobOperations all\n$/,
    );
    expect(create.requests).toEqual([]);
  });

  test("because no stack is read, the message names the options", async () => {
    const service = await start();
    const { stderr } = await new CliFolder().run(["jobs", "--at-service"], settingsFor(service));
    expect(stderr).toContain("No stack's configuration was read: name one with --stack, and its project with --cwd.");
    expect(service.requests).toEqual([]);
  });
});

test.each([["--json"], ["--as-program"], ["--as-import"], []])(
  "a list that fails is said, with exit code 1 (%s)",
  async (...args) => {
    const service = await start({ jobOperations: "create" });
    const { exitCode, stdout, stderr } = await askService(service, { args });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^The unnamed account: GET \/api\/job\/list failed with HTTP 404/);
    // An alert that looks for failed runs must not take this for a service without jobs.
    if (args[0] === "--json") expect(JSON.parse(stdout)).toMatchObject({ jobs: null, notListed: [{}] });
    else expect(stdout).toBe("");
    // The list of data sources tells whether the address is right.
    expect(pathsOf(service.requests)).toEqual([JOBS, LIST]);
    expect(stderr).toContain(
      "The address is right: the service answers the list of data sources. It does not answer this call. Mode create is for such a service: pulumi config set data-connectivity:jobOperations create\n",
    );
  },
);

test("settings that do not tell which accounts there are are said, with exit code 1", async () => {
  const config = { ...allOperations, "data-connectivity:accounts": "[]" };
  const { exitCode, stdout, stderr } = await askService(await start(), { config });
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(
    /^The unnamed account: data-connectivity:accounts is not an object .* pulumi config set --path/,
  );
});

describe("Standard input is not read where it is not asked for", () => {
  test.each([
    ["an open, silent pipe", 'mkfifo silent && exec 3<>silent && "$NODE" "$MAIN" "$@" <silent'],
    ["an empty one", ': | "$NODE" "$MAIN" "$@"'],
  ])("%s", async (_what, script) => {
    const env = settingsFor(await startWith({ "job-1": JOB }));
    const project = configuredProject(allOperations);
    const { exitCode, stdout, stderr } = await project.shell(script, ["jobs", "--at-service"], env);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("job-1");
  });
});

test("an empty pipe is a usage error: every job would look unknown", async () => {
  const { exitCode, stderr, stdout } = await askService(await start(), { stack: "" });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toMatch(/^Standard input is empty: did pulumi stack export fail\?/);
});

const needService = "--as-program, --as-import and --stack need --at-service.";
const sinceIs = (text: string) =>
  `--since is "${text}". Accepted: a number of hours, days or weeks (24h, 7d, 2w), a date (2026-11-25) or a date-time with its zone (2026-11-25T22:00:00Z).`;
const ignoreIs = (text: string) =>
  `--ignore is "${text}". Accepted: failed, overdue, missing, duplicate, orphan, unconfirmed, unknown.`;
const notGenerated = "--failed, --check, --since and --good cannot be used with --as-program or --as-import.";
const together = "--json, --format, --as-program and --as-import cannot be used together.";
test.each([
  ["--as-program", needService],
  ["--stack dev", needService],
  ["--as-import", needService],
  ["--cwd .", "--cwd needs --at-service or --all."],
  ["--all stack.json", '--all takes folders of projects, and "stack.json" is not a folder.'],
  ["--at-service --all --stack dev", "--all cannot be used with --stack."],
  ["--format csv", '--format is "csv". Accepted: table or markdown.'],
  ["--at-service --format markdown --json", together],
  ["--at-service --failed --check", "--failed cannot be used with --check, which finds more."],
  ["--ignore orphan", "--ignore needs --at-service and --check."],
  ["--at-service --failed --ignore orphan", "--ignore needs --at-service and --check."],
  ["--at-service --check --ignore orphans", ignoreIs("orphans")],
  ["--failed", "--failed needs --at-service."],
  ["--since 24h", "--since and --good need --at-service."],
  ["--at-service --failed --as-program", notGenerated],
  ["--at-service --since 24h --as-import", notGenerated],
  ["--at-service --failed --since 2999-01-01", '--since is "2999-01-01", which is in the future.'],
  ["--at-service --failed --since yesterday", sinceIs("yesterday")],
  ["--at-service --failed --since 0h", sinceIs("0h")],
  ["--at-service --failed --good -", '--good is "-". Accepted: a status, such as SUCCESS.'],
  ["--all --cwd . folder", "--cwd cannot be used with --all and a folder: it is the folder."],
  ["--at-service --json --as-program", together],
  ["--at-service --as-import --as-program", together],
])("%s is a usage error", async (args, message) => {
  const { exitCode, stderr } = await new CliFolder().run(["jobs", ...args.split(" ")]);
  expect(exitCode).toBe(2);
  expect(stderr).toBe(`${message} For help: pulumi-data-connectivity jobs --help\n`);
});

describe("a job that the stack has and the service has not", () => {
  const gone = async (subject?: string) => {
    const service = await startWith({ "job-1": caching("A") });
    const origin = { ...originAt(service.baseUrl), subject };
    const stack = exported([resource("a", { id: "job-1", origin }), resource("b", { id: "job-2", origin })]);
    return { service, stack };
  };

  test.each([[[]], [["--format", "markdown"]], [["--json"]]])("is a row of its own (%j)", async (args) => {
    const { service, stack } = await gone();
    const { exitCode, stdout, stderr } = await askService(service, { stack, args });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    if (args[0] === "--json")
      expect(JSON.parse(stdout)).toMatchObject({
        jobs: [
          { jobId: "job-1", existsIn: "both" },
          { jobId: "job-2", existsIn: "stack", resource: "b", resourceState: "known", enabled: null },
        ],
        notListed: [],
      });
    else {
      expect(stdout).toMatch(/job-2 .*ORDERS .*NOT LISTED +\|? ?b/);
      expect(stdout).toContain(
        "1 job, 0 of them not in the stack, 1 more in the stack and not in the list of the service\n",
      );
    }
  });

  test.each([
    ["is not at the service, where all sources are told", {}, "stack", 0],
    ["is not looked for, where its source is secret", { inputs: { params: encrypted } }, "notLookedFor", 1],
  ])("is unconfirmed, and %s", async (_, given, existsIn, code) => {
    const { service } = await gone();
    const stack = exported([
      unconfirmed("late", { ...given, origin: originAt(service.baseUrl, "unconfirmed") }),
      resource("a", { id: "job-1", origin: originAt(service.baseUrl) }),
    ]);
    const { exitCode, stdout, stderr } = await askService(service, { stack, args: ["--json"] });
    const { jobs, incompleteJobs } = z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
    expect(jobs ?? incompleteJobs).toMatchObject([
      { existsIn: "both" },
      { jobId: null, existsIn, resource: "late", resourceState: "unconfirmed" },
    ]);
    expect(exitCode).toBe(code);
    expect(stderr).toEqual(
      code === 0 ? "" : matching(/whether unconfirmed creates of the stack made their jobs is not/),
    );
    expect((await askService(service, { stack })).stdout).toContain("late (unconfirmed)\n");
    expect((await askService(service, { stack, args: ["--failed"] })).stdout).toMatch(/^No problem found/);
  });

  test.each([
    ["an account whose list is missing", { account: "eu" }, undefined],
    ["a provider that was not asked", {}, "urn:pulumi:dev::proj::pulumi:providers:data-connectivity::eu::1"],
  ])("is not said to be gone if a run was killed in its create, in %s", async (_where, more, provider) => {
    const service = await start();
    const killed = { ...resource("lost", declares("LOST", more)), ...(provider && { provider }) };
    const stack = exported([resource("a", { id: "job-1", origin: originAt(service.baseUrl) })], [killed]);
    service.addJob(JOB, { id: "job-1" });
    const config = { ...allOperations, ...configOf({ eu: { baseUrl: service.baseUrl, token: "refused" } }) };
    const { exitCode, stdout } = await askService(service, { config, stack, args: ["--json"] });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      incompleteJobs: [{ existsIn: "both" }, { resource: "lost", existsIn: "notLookedFor" }],
    });
  });

  test("is not said to be gone where the export of another account's stack was given, too", async () => {
    const token = jwt({ iss: "parent", sub: "acme" });
    const service = await start({ tokens: { [token]: "acme" } });
    const project = configuredProject(allOperations);
    const files = ["acme", "globex"].map((name) => {
      const origin = { ...originAt(service.baseUrl), subject: subjectOf(jwt({ iss: "parent", sub: name })) };
      const text = exported([resource("orders", { id: `job-of-${name}`, origin })]);
      return project.write(`${name}.json`, text.replaceAll("urn:pulumi:dev::", `urn:pulumi:${name}::`));
    });
    const env = { ...settingsFor(service), DATA_CONNECTIVITY_TOKEN: token };
    const { exitCode, stdout } = await project.run(["jobs", "--at-service", ...files, "--json"], env);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      incompleteJobs: [
        { jobId: "job-of-acme", existsIn: "stack" },
        { jobId: "job-of-globex", existsIn: "notLookedFor" },
      ],
      notListed: [{ stack: "globex" }],
    });
    const failed = await project.run(["jobs", "--at-service", ...files, "--failed", "--json"], env);
    expect(JSON.parse(failed.stdout)).toMatchObject({ incompleteJobs: [{ jobId: "job-of-acme", problem: "missing" }] });
  });

  test("is not said to be gone where the token is of another account", async () => {
    const { service, stack } = await gone("other");
    const token = jwt({ iss: "parent", sub: "acme" });
    const env = { ...settingsFor(service), DATA_CONNECTIVITY_TOKEN: token };
    const { exitCode, stdout, stderr } = await askService(service, { stack, env, args: ["--json"] });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^The unnamed account: its jobs are not listed, because its token is of another account/);
    expect(JSON.parse(stdout)).toMatchObject({ jobs: null, incompleteJobs: [{ existsIn: "notLookedFor" }, {}] });
    expect(service.requests).toEqual([]);
  });
});

test("a token without a subject does not show that a job of the stack is gone", async () => {
  const service = await startWith({ "job-9": caching("OTHER") });
  const origin = { ...originAt(service.baseUrl), subject: subjectOf(jwt({ iss: "parent", sub: "sub-1" })) };
  const stack = exported([resource("orders", { id: "job-1", origin })]);
  const { exitCode, stdout, stderr } = await askService(service, { stack });
  expect(exitCode).toBe(1);
  expect(stdout).toContain("stack (service not asked)");
  expect(stderr).toContain("because the token does not show the subject of these jobs");
  expect((await askService(service, { stack, args: ["--failed"] })).stdout).not.toContain("not in the list");
});

const oldAddress = "https://old.example.com";

test.each([
  ["a secret interval", [{ params, intervalValue: encrypted }], "every 4 Hour", undefined],
  ["what the second owner has as a secret", [{ params }, { params: encrypted }], "ORDERS", undefined],
  ["what is a secret of the job at its old address", [{ params: encrypted }], "ORDERS", oldAddress],
  ["a secret enabled", [{ params, enabled: encrypted }], "true", undefined],
])("The service's list does not show %s, of a job or its duplicate", async (_what, all, hidden, address) => {
  const job = { ...declaredBody("ORDERS"), enabled: true };
  const service = await startWith({ "job-1": job, ...(address === undefined && { "job-2": job }) });
  const origin = originAt(address ?? service.baseUrl);
  const resources = all.map((inputs, n) => resource(`orders${n}`, { id: "job-1", origin, inputs }));
  const { stdout } = await askService(service, { stack: exported(resources) });
  expect(stdout).toContain("job-1");
  expect(stdout).not.toContain(hidden);
});
