import { CliFolder } from "./cliProcess.js";

const folder = new CliFolder();
afterAll(() => {
  folder.dispose();
});

const at = "2026-11-20T13:28:23.628Z";
const schedule = { intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2 };
const params = {
  sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
  sourceName: "Snowflake1",
  sourceSchema: "HIDDEN_SCHEMA",
  sourceTable: "ORDERS",
};
const mark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const encrypted = { ...mark, ciphertext: "v1:abc" };
const inClear = (value: unknown) => ({ ...mark, plaintext: JSON.stringify(value) });
const typeOf = (kind: string) => `pulumi-nodejs:dynamic/data-connectivity:${kind}`;

interface Given {
  kind?: string;
  id?: string;
  inputs?: object;
  job?: unknown;
  origin?: unknown;
}

function resource(name: string, { kind = "CachingJob", id = "job-1", inputs = {}, ...given }: Given = {}) {
  const declared = { ...schedule, params, ...inputs };
  const { job = { id }, origin = { outcome: "created", baseUrl: "https://jobs.example.com", at } } = given;
  const type = typeOf(kind);
  return {
    urn: `urn:pulumi:dev::proj::${type}::${name}`,
    type,
    id,
    inputs: declared,
    outputs: { ...declared, job, origin },
  };
}

const doubtful = (name: string) =>
  resource(name, {
    id: "unconfirmed-48c68962-a49f-4ed7-8947-2dc8fa4786e4",
    job: {},
    origin: { outcome: "unconfirmed", baseUrl: "https://jobs.example.com", at },
  });

const exported = (resources: unknown[], more: object = {}) =>
  JSON.stringify({
    version: 3,
    deployment: { manifest: { time: "2026-11-20T13:30:00.123456789Z" }, resources, ...more },
  });

async function list(text: string): Promise<{ lines: string[]; stdout: string }> {
  const { exitCode, stdout, stderr } = await folder.pipe(text, ["jobs"]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return { stdout, lines: stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | ")) };
}

test("lists each job in one aligned line, and leaves other resources alone", async () => {
  const { lines, stdout } = await list(
    exported([
      { urn: "urn:pulumi:dev::proj::pulumi:pulumi:Stack::proj-dev", type: "pulumi:pulumi:Stack" },
      resource("orders"),
      resource("daily", {
        kind: "ScheduledQueryJob",
        id: "job-2",
        inputs: { intervalUnit: "Day", intervalValue: 1, params: { name: "revenue", query: "select hidden" } },
      }),
    ]),
  );
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

test("shows the account where one is named", async () => {
  const origin = { outcome: "adopted", baseUrl: "https://jobs.example.com", account: "eu", at };
  const { lines } = await list(exported([resource("orders", { origin }), resource("other")]));
  expect(lines[0]).toContain("SERVICE | ACCOUNT | OUTCOME");
  expect(lines[1]).toContain("| eu | adopted |");
  expect(lines[2]).toContain("| - | created |");
});

test.each([
  ["encrypted", encrypted, encrypted, encrypted],
  ["in clear", inClear("SECRETTABLE"), inClear({ id: "job-1" }), inClear(params)],
])("a table that is secret is not shown, %s, and the id of the job still is", async (_, table, job, wholeParams) => {
  const { lines, stdout } = await list(
    exported([
      resource("part", { inputs: { params: { ...params, sourceTable: table } }, job }),
      resource("whole", { inputs: { params: wholeParams }, job }),
    ]),
  );
  expect(lines[1]).toMatch(/^part \| job-1 \| CachingJob \| \(secret\) \|/);
  expect(lines[2]).toMatch(/^whole \| job-1 \| CachingJob \| \(secret\) \|/);
  expect(stdout).not.toMatch(/SECRETTABLE|ORDERS|plaintext|ciphertext/);
});

test("a doubt that was settled but not refreshed shows the job's own id, where the record can be read", async () => {
  const id = "unconfirmed-48c68962-a49f-4ed7-8947-2dc8fa4786e4";
  const { lines } = await list(
    exported([
      resource("clear", { id, job: inClear({ id: "job-9" }) }),
      resource("hidden", { id, job: encrypted }),
      resource("known", { id, job: { id: "job-8" } }),
    ]),
  );
  expect(lines[1]).toMatch(/^clear \| job-9 \|/);
  expect(lines[2]).toMatch(/^hidden \| - \|/);
  expect(lines[3]).toMatch(/^known \| job-8 \|/);
});

test("says for a job in doubt what to look for and what to type", async () => {
  const { stdout } = await list(exported([doubtful("late"), resource("orders")]));
  expect(stdout).toContain("1 job needs your attention:");
  expect(stdout).toContain('CachingJob "late"');
  expect(stdout).toContain(`unconfirmed-48c68962-a49f-4ed7-8947-2dc8fa4786e4 is still in doubt: a create of ${at}`);
  expect(stdout).toContain('existingJobId: "<id>"');
  expect(stdout).toContain('DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE="$(date -u +%Y-%m-%dT%H:%M:%SZ)" pulumi up');
});

test("says for a create that a killed run began what to look for and what to type", async () => {
  const pending = { ...resource("late", { inputs: { account: "eu" } }), id: undefined, outputs: undefined };
  const { stdout } = await list(
    exported([resource("orders")], { pending_operations: [{ resource: pending, type: "creating" }] }),
  );
  expect(stdout).toContain("A run was killed and left 1 operation open:");
  expect(stdout).toContain(
    "look at the service for a job of type Caching, every 4 Hour, table ORDERS, account eu, created at about 2026-11-20T13:30:00.123Z.",
  );
  expect(stdout.match(/^ +\d\. .*$/gm)?.map((line) => line.trim())).toEqual([
    "1. Let nothing else use this stack. If the killed run still locks it: pulumi cancel",
    expect.stringMatching(/^2\. Wait until nothing is under way/),
    '3. It is there: declare its id, existingJobId: "<id>". It is not there: change nothing.',
    "4. pulumi refresh --clear-pending-creates",
    "5. pulumi up",
  ]);
});

test("a killed run that was sending a doubtful job again may have made a second one", async () => {
  const late = doubtful("late");
  const { stdout } = await list(exported([late], { pending_operations: [{ resource: late, type: "updating" }] }));
  expect(stdout).toContain("killed while it was sent again: each of the two requests may have made a job.");
  expect(stdout).toContain("5. pulumi up, or, if it is not there: DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE=");
});

test("a killed run that was doing something else to a job sent nothing", async () => {
  const orders = resource("orders");
  const { stdout } = await list(exported([orders], { pending_operations: [{ resource: orders, type: "updating" }] }));
  expect(stdout).toContain("The run was killed while updating it, which sends nothing.");
  expect(stdout).not.toContain("look at the service");
});

test("a pending operation of another package's resource is not ours", async () => {
  const other = { urn: "urn:pulumi:dev::proj::aws:s3:Bucket::logs", type: "aws:s3:Bucket", inputs: {} };
  const { stdout } = await list(exported([], { pending_operations: [{ resource: other, type: "creating" }] }));
  expect(stdout).toBe("This stack knows no jobs of pulumi-data-connectivity.\n");
});

test("a state whose origin was edited away is listed, and says so", async () => {
  const { lines, stdout } = await list(exported([resource("orders", { origin: "gone" })]));
  expect(lines[1]).toMatch(/^orders \| job-1 \| CachingJob \| ORDERS \| every 4 Hour \| - \| - \| -$/);
  expect(stdout).toContain('lacks the property "origin"');
});

test("--json prints the same with null for what is not known", async () => {
  const text = exported([resource("orders"), doubtful("late")], {
    pending_operations: [{ resource: resource("new"), type: "creating" }],
  });
  const { exitCode, stdout } = await folder.run(["jobs", folder.write("state.json", text), "--json"]);
  expect(exitCode).toBe(0);
  const common = { type: "CachingJob", tableOrQuery: "ORDERS", schedule: "every 4 Hour" };
  const urn = (name: string) => `urn:pulumi:dev::proj::${typeOf("CachingJob")}::${name}`;
  const service = { service: "https://jobs.example.com", account: null, since: at };
  const advice = expect.arrayContaining([expect.stringContaining("existingJobId")]) as unknown;
  expect(JSON.parse(stdout)).toEqual({
    jobs: [
      { resource: "late", urn: urn("late"), ...common, jobId: null, ...service, outcome: "unconfirmed", advice },
      { resource: "orders", urn: urn("orders"), ...common, jobId: "job-1", ...service, outcome: "created", advice: [] },
    ],
    pendingOperations: [{ resource: "new", urn: urn("new"), ...common, operation: "creating", advice }],
  });
});

test.each([
  ["a stack without resources", JSON.stringify({ version: 3, deployment: { manifest: {} } })],
  ["a stack of other resources", exported([{ urn: "urn:pulumi:dev::p::x:y:Z::z", type: "x:y:Z", id: "1" }])],
])("%s has no jobs, which is no error", async (_, text) => {
  expect((await list(text)).stdout).toBe("This stack knows no jobs of pulumi-data-connectivity.\n");
  const { stdout } = await folder.pipe(text, ["jobs", "--json"]);
  expect(JSON.parse(stdout)).toEqual({ jobs: [], pendingOperations: [] });
});

test.each([
  ["no JSON", "error: no stack selected", "Standard input is not JSON. Expected: what pulumi stack export prints.\n"],
  [
    "other JSON",
    "[1]",
    'Standard input is JSON, but no exported stack: it has no "deployment". Expected: what pulumi stack export prints.\n',
  ],
])("%s is one clear sentence and exit code 1", async (_, text, message) => {
  expect(await folder.pipe(text, ["jobs"])).toMatchObject({ exitCode: 1, stdout: "", stderr: message });
});

test("a file that does not exist is named", async () => {
  const { exitCode, stderr } = await folder.run(["jobs", "absent.json"]);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^The export could not be read: .*absent\.json/);
});

test("nothing on standard input is a usage error", async () => {
  const { exitCode, stderr } = await folder.run(["jobs"]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^Standard input is empty: did pulumi stack export fail\?/);
  expect(stderr).toContain("Usage: pulumi stack export | pulumi-data-connectivity jobs");
});

test("a reader that leaves early is no error", async () => {
  const many = Array.from({ length: 3000 }, (_, count) => resource(`orders-${count}`));
  const file = folder.write("many.json", exported(many));
  const { stdout, stderr } = await folder.shell('"$NODE" "$MAIN" "$@" | head -n 1', ["jobs", file]);
  expect(stdout).toMatch(/^RESOURCE/);
  expect(stderr).toBe("");
});
