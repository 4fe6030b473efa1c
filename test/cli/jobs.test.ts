import { matching, saying } from "../support/matchers.js";
import { CliFolder } from "./cliProcess.js";
import {
  at,
  encrypted,
  exported,
  inClear,
  list,
  originAt,
  params,
  resource,
  typeOf,
  unconfirmed,
  withProvider,
} from "./exportedState.js";

const folder = new CliFolder();

test("lists each job in one aligned line, and leaves other resources alone", async () => {
  const { lines, stdout } = await list([
    { urn: "urn:pulumi:dev::proj::pulumi:pulumi:Stack::proj-dev", type: "pulumi:pulumi:Stack" },
    resource("orders"),
    resource("daily", {
      kind: "ScheduledQueryJob",
      id: "job-2",
      inputs: { intervalUnit: "Day", intervalValue: 1, params: { name: "revenue", query: "select hidden" } },
    }),
  ]);
  expect(lines).toEqual([
    "RESOURCE | JOB ID | TYPE | TABLE OR QUERY | SCHEDULE | SERVICE | OUTCOME | SINCE",
    `daily | job-2 | ScheduledQueryJob | revenue | every 1 Day | https://jobs.example.com | created | ${at}`,
    `orders | job-1 | CachingJob | ORDERS | every 4 Hour | https://jobs.example.com | created | ${at}`,
    "2 jobs",
    "",
  ]);
  expect(new Set(stdout.split("\n").map((line) => line.indexOf("job-")))).toEqual(new Set([-1, 10]));
  expect(stdout).not.toMatch(/hidden|6f1c1c5e|Snowflake1/i);
});

test("leaves out a job that the program only reads: the stack does not have it", async () => {
  const seen = { ...resource("seen", { id: "job-2", inputs: {} }), external: true };
  const { lines } = await list([resource("orders"), seen]);
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^orders /), "1 job", ""]);
});

test("shows the account where one is named", async () => {
  const origin = originAt(undefined, "adopted", "eu");
  const { lines } = await list([resource("orders", { origin }), resource("other")]);
  expect(lines.slice(0, 3)).toEqual(
    ["SERVICE | ACCOUNT | OUTCOME", "| eu | unchecked |", "| - | created |"].map((part) => saying(part)),
  );
});

test.each([
  ["encrypted", encrypted, encrypted, encrypted],
  ["in clear", inClear("SECRETTABLE"), inClear({ id: "job-1" }), inClear(params)],
])("a table that is secret is not shown, %s, and the id of the job still is", async (_, table, job, wholeParams) => {
  const { lines, stdout } = await list([
    resource("part", { inputs: { params: { ...params, sourceTable: table } }, job }),
    resource("whole", { inputs: { params: wholeParams }, job }),
  ]);
  expect(lines[1]).toMatch(/^part \| job-1 \| CachingJob \| \(secret\) \|/);
  expect(lines[2]).toMatch(/^whole \| job-1 \| CachingJob \| \(secret\) \|/);
  expect(stdout).not.toMatch(/SECRETTABLE|ORDERS|plaintext|ciphertext/);
});

test("an unconfirmed create that was resolved but not refreshed shows the job's own id, where the record can be read", async () => {
  const id = "unconfirmed-48c68962-a49f-4ed7-8947-2dc8fa4786e4";
  const { lines } = await list([
    resource("clear", { id, job: inClear({ id: "job-9" }) }),
    resource("hidden", { id, job: encrypted }),
    resource("known", { id, job: { id: "job-8" } }),
  ]);
  expect(lines.slice(1, 4)).toEqual(["clear | job-9 |", "hidden | - |", "known | job-8 |"].map((row) => saying(row)));
});

test("says for an unconfirmed job what to look for and what to type", async () => {
  const { stdout } = await list([unconfirmed("late"), resource("orders")]);
  expect(stdout).toContain("1 job needs your attention:");
  expect(stdout).toContain('CachingJob "late"');
  expect(stdout).toContain(
    `The create of ${at} is still unconfirmed (unconfirmed-48c68962-a49f-4ed7-8947-2dc8fa4786e4)`,
  );
  expect(stdout).toMatch(/DATA_CONNECTIVITY_ADOPT_UNCONFIRMED='{"urn:.*::late":"<its id>"}' pulumi up --stack dev/);
  expect(stdout).toMatch(/First see whether a run of this stack is still going[^]*run pulumi up: it says/);
  expect(stdout).not.toMatch(/RESEND_UNCONFIRMED|clear-pending/);
});

test("shows an adopted job of which only the id is known as unchecked", async () => {
  const adopted = { origin: originAt(undefined, "adopted") };
  const { stdout } = await list([
    resource("unread", adopted),
    resource("read", { id: "job-2", job: { id: "job-2", enabled: true }, ...adopted }),
    resource("hidden", { id: "job-3", job: encrypted, ...adopted }),
  ]);
  expect(stdout).toMatch(/^unread .* unchecked /m);
  expect(stdout).toMatch(/^read .* adopted /m);
  expect(stdout).toMatch(/^hidden .* adopted /m);
});

test("lists the creates that a killed run left unconfirmed, and --check fails for them", async () => {
  const secret = resource("secret", { inputs: { params: encrypted } });
  const text = exported([resource("orders")], [resource("lost"), secret, resource("orders")]);
  const { exitCode, stdout, lines } = await folder.pipe(text, ["jobs", "--check"]);
  expect(exitCode).toBe(1);
  expect([lines[1], lines[3]]).toEqual([
    `lost | - | CachingJob | ORDERS | every 4 Hour | - | unconfirmed | ${at}`,
    `secret | - | CachingJob | (secret) | every 4 Hour | - | unconfirmed | ${at}`,
  ]);
  expect(stdout).toContain("2 jobs need your attention:");
  expect(stdout).toContain(
    `Its create is unconfirmed: it is under way, or a run was killed in it at ${at} or before, so the job may exist.`,
  );
  expect(stdout).toContain("First see whether a run of this stack is still going");
  expect(stdout).not.toMatch(/RESEND_UNCONFIRMED|clear-pending/);
  expect(stdout).toMatch(/look in the service for a job of type Caching with .*sourceTable ORDERS/);
});

const waits = /is still unconfirmed [^]*run pulumi up: it looks for the job once [^]*Look in the service at https:/;
const looks = /^(?![^]*looks for the job)[^]*Look in the service at https:\/\//;
test.each<[string, RegExp, object, string | undefined]>([
  ["by a setting of the classes", waits, { "data-connectivity:jobOperations": "all" }, undefined],
  ["by an input of the plugin", waits, { jobOperations: "all" }, undefined],
  ["beside accounts that cannot be read", waits, { jobOperations: "all", accounts: encrypted }, undefined],
  ["for its account", waits, { jobOperations: "create", accounts: '{"eu":{"jobOperations":"all"}}' }, "eu"],
  ["not for its account", looks, { jobOperations: "all", accounts: '{"eu":{"jobOperations":"create"}}' }, "eu"],
  ["by a setting that cannot be read", looks, { jobOperations: encrypted }, undefined],
])("says that up looks for the job only where it surely does: %s", async (_, says, inputs, account) => {
  expect((await list(withProvider(inputs, unconfirmed("late", { account })))).stdout).toMatch(says);
});

test("an origin that the program made secret is not taken for one that was edited away", async () => {
  const shown = await list([unconfirmed("late", { origin: inClear(originAt(undefined, "unconfirmed")) })]);
  expect(shown.lines[1]).toMatch(/ unconfirmed \| /);
  const { lines, stdout } = await list([resource("orders", { origin: encrypted })]);
  expect(lines[1]).toMatch(/^orders \| job-1 \| CachingJob \| ORDERS \| every 4 Hour \| - \| -$/);
  expect(stdout).not.toContain("lacks the property");
  expect(stdout).toContain("pulumi stack export --show-secrets");
});

test("a state whose origin was edited away is listed, and says so", async () => {
  const { lines, stdout } = await list([resource("orders", { origin: "gone" })]);
  expect(lines[1]).toMatch(/^orders \| job-1 \| CachingJob \| ORDERS \| every 4 Hour \| - \| -$/);
  expect(stdout).toContain('lacks the property "origin"');
});

test.each([
  [0, [resource("orders")]],
  [1, [resource("orders"), unconfirmed("late")]],
  [1, [resource("orders", { origin: "gone" })]],
])("--check ends with exit code %d, and prints what to do", async (exitCode, resources) => {
  const text = exported(resources);
  const { stdout, ...ended } = await folder.pipe(text, ["jobs", "--check"]);
  expect([ended, stdout.includes("needs your attention:")]).toMatchObject([{ exitCode, stderr: "" }, exitCode === 1]);
  expect(await folder.pipe(text, ["jobs", "--check", "--json"])).toMatchObject({ exitCode, stderr: "" });
});

test("--json prints the same with null for what is not known", async () => {
  const text = exported([resource("orders"), unconfirmed("late")]);
  const { exitCode, stdout } = await folder.run(["jobs", folder.write("state.json", text), "--json"]);
  expect(exitCode).toBe(0);
  const common = {
    stack: "dev",
    project: "proj",
    type: "CachingJob",
    tableOrQuery: "ORDERS",
    schedule: "every 4 Hour",
  };
  const urn = (name: string) => `urn:pulumi:dev::proj::${typeOf("CachingJob")}::${name}`;
  const service = { service: "https://jobs.example.com", account: null, since: at };
  const advice = expect.arrayContaining([expect.stringContaining("ADOPT_UNCONFIRMED")]) as unknown;
  expect(JSON.parse(stdout)).toEqual({
    jobs: [
      { resource: "late", urn: urn("late"), ...common, jobId: null, ...service, outcome: "unconfirmed", advice },
      { resource: "orders", urn: urn("orders"), ...common, jobId: "job-1", ...service, outcome: "created", advice: [] },
    ],
    sharedJobs: [],
    sharedSources: [],
  });
});

test.each([
  ["a stack without resources", JSON.stringify({ version: 3, deployment: { manifest: {} } })],
  ["a stack of other resources", exported([{ urn: "urn:pulumi:dev::p::x:y:Z::z", type: "x:y:Z", id: "1" }])],
])("%s has no jobs, which is no error", async (_, text) => {
  const stdout = "This stack has no jobs of pulumi-data-connectivity.\n";
  expect(await folder.pipe(text, ["jobs"])).toMatchObject({ exitCode: 0, stdout });
  const json = await folder.pipe(text, ["jobs", "--json"]);
  expect(JSON.parse(json.stdout)).toEqual({ jobs: [], sharedJobs: [], sharedSources: [] });
});

describe.each<[string, (text: string) => Buffer]>([
  ["UTF-8 with a byte order mark", (text) => Buffer.from(`\ufeff${text}`)],
  ["UTF-16, as Windows PowerShell writes it", (text) => Buffer.from(`\ufeff${text}`, "utf16le")],
  ["UTF-16 in the other byte order", (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
])("An export in %s", (_encoding, encode) => {
  const bytes = encode(exported([resource("commandes-\u00e9t\u00e9")]));

  test("is read from a file", async () => {
    folder.write("export.json", bytes);
    const { lines } = await folder.run(["jobs", "export.json"]);
    expect(lines).toContainEqual(saying("commandes-\u00e9t\u00e9 | job-1"));
  });

  test("is read from a pipe", async () => {
    const { lines } = await folder.spawnPiped(bytes, ["jobs"]);
    expect(lines).toContainEqual(saying("commandes-\u00e9t\u00e9 | job-1"));
  });
});

const empty =
  /^Standard input is empty: did pulumi stack export fail\? If no stack is selected, add --stack NAME to it\. For help: /;
const other =
  /^Standard input is JSON, but not an exported stack: it has no "deployment"\. Expected: what pulumi stack export prints\.\n$/;
const none = /^No input: pipe the output of pulumi stack export into this command, or name a file\. For help: /;
test.each([
  [
    "no JSON",
    1,
    () => folder.pipe("error", ["jobs"]),
    /^Standard input is not JSON\. Expected: what pulumi stack export prints\.\n$/,
  ],
  ["other JSON", 1, () => folder.pipe("[1]", ["jobs"]), other],
  [
    "a file that does not exist",
    1,
    () => folder.run(["jobs", "absent.json"]),
    /^The export could not be read: .*absent\.json/,
  ],
  ["an empty pipe", 2, () => folder.pipe("", ["jobs"]), empty],
  ["no input at all", 2, () => folder.run(["jobs"]), none],
])("%s is named, with exit code %d", async (_, exitCode, run, says) => {
  expect(await run()).toMatchObject({ exitCode, stdout: "", stderr: matching(says) });
});

test("a reader that leaves early is no error", async () => {
  const many = Array.from({ length: 3000 }, (_, count) => resource(`orders-${count}`));
  const file = folder.write("many.json", exported(many));
  const { stdout, stderr } = await folder.shell('"$NODE" "$MAIN" "$@" | head -n 1', ["jobs", file]);
  expect(stdout).toMatch(/^RESOURCE/);
  expect(stderr).toBe("");
});

test("--format markdown prints a table in which nothing is markup", async () => {
  const { stdout } = await new CliFolder().pipe(exported([resource("a|b<img>")]), ["jobs", "--format", "markdown"]);
  expect(stdout.split("\n").slice(0, 3)).toEqual([
    "| RESOURCE | JOB ID | TYPE | TABLE OR QUERY | SCHEDULE | SERVICE | OUTCOME | SINCE |",
    "|---|---|---|---|---|---|---|---|",
    expect.stringMatching(/^\| a\\\|b\\<img\\> \| job-1 \| CachingJob \| ORDERS \| every 4 Hour \|/),
  ]);
});

test("--check says of which jobs the source is secret, so that a second job of one would not be seen", async () => {
  const inputs = { params: encrypted };
  const text = exported([resource("one", { id: "job-1", inputs }), resource("two", { id: "job-2", inputs })]);
  const { exitCode, stderr } = await folder.pipe(text, ["jobs", "--check"]);
  expect([exitCode, stderr]).toEqual([0, matching(/not known of 2 jobs, .*"one", .*"two"\. .* --show-secrets/)]);
});

test("--check compares secret sources that an export shows", async () => {
  const inputs = { params: inClear(params) };
  const jobs = ["one", "two"].map((name, n) => resource(name, { id: `job-${n}`, job: { id: `job-${n}` }, inputs }));
  const { exitCode, stderr } = await folder.pipe(exported(jobs), ["jobs", "--check"]);
  expect([exitCode, stderr.includes("is not known")]).toEqual([1, false]);
});

test("an unconfirmed create is described as it was sent last: the engine keeps the inputs from before a failed update", async () => {
  const orders = unconfirmed("orders");
  const resent = { ...orders, outputs: { ...orders.outputs, params: { ...params, sourceTable: "RESENT" } } };
  const { stdout } = await folder.pipe(exported([resent]), ["jobs"]);
  expect(stdout).toContain("sourceTable RESENT");
});

test("a killed create that the state has recorded since is no unconfirmed one, even if its connection is a secret", async () => {
  const inputs = { params: { ...params, sourceConnection: encrypted } };
  const orders = resource("orders", { inputs });
  const { exitCode, stdout } = await folder.pipe(exported([orders], [orders]), ["jobs", "--check"]);
  expect([exitCode, stdout]).toEqual([0, expect.not.stringContaining("a run was killed")]);
});
