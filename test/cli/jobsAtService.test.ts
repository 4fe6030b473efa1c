import { JOB, JOBS, LIST, settingsFor, start, stopAll } from "../support/emulated.js";
import { allOperations, askService, CliFolder, configOf, configuredProject, ownSettings } from "./cliProcess.js";
import {
  caching,
  declaredBody,
  declares,
  encrypted,
  exported,
  originAt,
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
    "JOB ID | JOB TYPE | CONNECTION | SCHEMA | TABLE OR QUERY | SCHEDULE | ENABLED | CREATED | LAST RUN | STATUS | ROWS",
    `job-1 | Caching | Snowflake1 | PUBLIC | ORDERS | every 4 Hour | true | ${created} | ${created} | SOME_STATUS | 7`,
    `job-2 | ScheduledQuery | - | - | revenue | every 4 Hour | false | ${created} | - | JOB_QUEUED | 0`,
    "2 jobs",
    "",
  ]);
  expect(stdout).not.toMatch(/hidden/i);
  expect(pathsOf(service.requests)).toEqual([JOBS]);
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
  const { exitCode, lines } = await askService(service, { stack });
  expect(exitCode).toBe(0);
  expect(lines.map((line) => line.replace(/every 4 Hour \| true .* 0 /, ""))).toEqual([
    expect.stringMatching(/ROWS \| RESOURCE$/),
    "job-1 | Caching | Snowflake1 | PUBLIC | job-1 | | orders",
    "job-2 | Caching | Snowflake1 | PUBLIC | job-2 | | -",
    "job-3 | Caching | (secret) | (secret) | (secret) | | hidden",
    "job-4 | Caching | Snowflake1 | HIDDEN_SCHEMA | LATE | | late (unconfirmed: perhaps this job)",
    "4 jobs, 1 of them not in the stack, 1 perhaps",
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
  const service = await startWith({ "job-1": JOB, "job-2": JOB }, { created, nextRunTime: created });
  const stack = exported([resource("orders", { id: "job-1", origin: originAt(service.baseUrl) })]);
  const { exitCode, stdout } = await askService(service, { args: ["--json"], stack });
  expect(exitCode).toBe(0);
  const common = {
    ...{ jobType: "Caching", tableOrQuery: "ORDERS", schedule: "every 4 Hour", enabled: true },
    ...{ created, nextRunTime: created, service: service.baseUrl, account: null, provider: null },
    ...{ connection: "Snowflake1", schema: "PUBLIC" },
    lastRun: { dateTime: null, status: "JOB_QUEUED", rowsAffected: 0 },
  };
  const urn = "urn:pulumi:dev::proj::pulumi-nodejs:dynamic/data-connectivity:CachingJob::orders";
  expect(JSON.parse(stdout)).toEqual({
    jobs: [
      { jobId: "job-1", ...common, stack: "dev", resource: "orders", urn, resourceState: "known", otherUrns: [] },
      { jobId: "job-2", ...common, stack: null, resource: null, urn: null, resourceState: null, otherUrns: null },
    ],
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
const exportsAlone = "--check reads exports alone: it cannot be used with --at-service.";
const together = "--json, --format, --as-program and --as-import cannot be used together.";
const allAlone = "--all cannot be used with a file or --stack.";
test.each([
  ["--as-program", needService],
  ["--stack dev", needService],
  ["--as-import", needService],
  ["--cwd .", "--cwd needs --at-service or --all."],
  ["--all stack.json", allAlone],
  ["--at-service --all --stack dev", allAlone],
  ["--format csv", '--format is "csv". Accepted: table or markdown.'],
  ["--at-service --format markdown --json", together],
  ["--at-service --check", exportsAlone],
  ["--at-service --json --as-program", together],
  ["--at-service --as-import --as-program", together],
])("%s is a usage error", async (args, message) => {
  const { exitCode, stderr } = await new CliFolder().run(["jobs", ...args.split(" ")]);
  expect(exitCode).toBe(2);
  expect(stderr).toBe(`${message} For help: pulumi-data-connectivity jobs --help\n`);
});
