import { unknownValue } from "../../provider/src/unknown.js";
import { CONNECTIONS, JOBS, start, stopAll, TABLES } from "../support/emulated.js";
import { matching, saying } from "../support/matchers.js";
import { allOperations, CliFolder, configOf, ownSettings } from "./cliProcess.js";
import { declares, params, resource, unconfirmed } from "./exportedState.js";
import { adopts, check, connection, create, moved, previewOf, startWithJobs } from "./previews.js";

afterEach(stopAll);

test("names each new job that pulumi up would refuse, and fails", async () => {
  const service = await startWithJobs();
  const preview = previewOf(
    create("fresh", declares("FRESH")),
    create("orders", declares("ORDERS")),
    create("items", declares("ITEMS", { existingJobId: "job-ITEMS", intervalValue: 5 })),
    create("gone", declares("GONE", { existingJobId: "job-GONE" })),
    create("elsewhere", declares("ELSEWHERE", { account: "eu" })),
  );
  expect(await check(service, preview)).toEqual({
    exitCode: 1,
    stderr: "",
    lines: [
      'CachingJob "orders": job job-ORDERS has its source already. If no other resource has that job, adopt it with existingJobId, or name the renamed resource in aliases.',
      'CachingJob "items": job job-ITEMS differs from the declaration in intervalValue. Declare the values that the job has at the service, and change them in the next run.',
      'CachingJob "gone": the service lists no job job-GONE to adopt.',
      expect.stringMatching(/^CachingJob "elsewhere": No setting names the account "eu"/),
      "The preview creates or adopts 5 jobs. pulumi up would refuse 4.",
    ],
  });
});

const held = (id: string) =>
  `nothing was sent. CachingJob "first" of this program already has job ${id}, and two resources must not share a job. Remove one of the two declarations.`;
const first = { op: "same", oldState: resource("first", { id: "job-ITEMS", ...declares("ITEMS") }) };

test.each([
  [
    "take one source",
    [create("first", declares("FRESH")), create("second", declares("FRESH", { intervalValue: 5 }))],
    'CachingJob "first" of this program is creating a job for the same source,',
  ],
  ["adopt one job", [create("first", adopts), create("second", adopts)], held("job-ITEMS")],
  ["adopt the job of another resource", [create("second", adopts), first], held("job-ITEMS")],
  [
    "take the source of another resource's job",
    [create("second", declares("ITEMS")), first],
    'CachingJob "first" of this program already has the job for this source (job job-ITEMS, interval: 4 Hour). Remove one',
  ],
  [
    "take a source that a changed one leaves, perhaps later",
    [create("second", declares("ORDERS")), moved],
    'CachingJob "moved" of this program already has the job for this source (job job-ORDERS, interval: 4 Hour). Remove one',
  ],
  [
    "take the source that a changed one takes",
    [create("second", declares("MOVED", { intervalValue: 5 })), moved],
    'CachingJob "moved" of this program is creating a job for the same source,',
  ],
  [
    "take the source of an unconfirmed create",
    [create("second", declares("FRESH")), { op: "same", oldState: unconfirmed("late", declares("FRESH")) }],
    'CachingJob "late" of this program is creating a job for the same source,',
  ],
])("refuses as pulumi up does new jobs that %s", async (_, steps, text) => {
  const { exitCode, lines } = await check(await startWithJobs(), previewOf(...steps));
  expect({ exitCode, lines }).toEqual({
    exitCode: 1,
    lines: [expect.stringContaining(`CachingJob "second": ${text}`), expect.stringMatching(/would refuse 1\.$/)],
  });
});

const leaving = {
  op: "delete",
  oldState: resource("old", { id: "job-ORDERS", ...declares("ORDERS", { enabled: true }) }),
};
const rename =
  'CachingJob "new": looks like a rename of CachingJob "old", which leaves the program. Add aliases: [{ name: "old" }] to its options: without it,';

test.each<[string, string, unknown[]]>([
  ["create", `${rename} the program declares a second job.`, []],
  [
    "all",
    `${rename} pulumi up refuses it, because job job-ORDERS has its source.`,
    [expect.stringMatching(/would refuse 1\.$/)],
  ],
])("names the resource that a new one is a rename of, with jobOperations: %s", async (jobOperations, text, more) => {
  const preview = previewOf(create("new", declares("ORDERS")), create("fresh", declares("FRESH")), leaving);
  const config = { "data-connectivity:jobOperations": jobOperations };
  const { exitCode, lines } = await check(await startWithJobs(), preview, { config });
  expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: [text, ...more] });
});

test("names a rename also where the preview failed, as it does for a protected job", async () => {
  const steps = [create("new", declares("ORDERS")), leaving];
  const diagnostics = [{ severity: "error", message: "error: preview failed" }];
  const { stderr, ...checked } = await check(await start(), JSON.stringify({ steps, diagnostics }));
  expect(checked).toEqual({ exitCode: 1, lines: [""] });
  expect(stderr).toContain(`correct what it reports. ${rename} the program declares a second job.`);
});

test("passes where each new job is free, as the job that it adopts, or takes the source of one that this run changes", async () => {
  const service = await startWithJobs();
  const preview = previewOf(
    create("fresh", declares("FRESH")),
    create("items", declares("ITEMS", { existingJobId: "job-ITEMS" })),
    { op: "create", newState: { ...resource("orders", declares("ORDERS")), dependencies: [moved.newState.urn] } },
    moved,
    { op: "create", newState: { type: "pulumi:pulumi:Stack", urn: "urn:pulumi:dev::proj::pulumi:pulumi:Stack::s" } },
  );
  expect(await check(service, preview)).toEqual({
    exitCode: 0,
    stderr: "",
    lines: ["The preview creates or adopts 3 jobs. pulumi up would refuse 0."],
  });
  const asked = new URLSearchParams({ catalogName: connection.name, schemaName: params.sourceSchema }).toString();
  expect(service.requests.map(({ path }) => path)).toEqual([JOBS, CONNECTIONS, `${TABLES}?${asked}`]);
});

test.each([
  ["[secret]", declares("[secret]")],
  [unknownValue, declares(unknownValue)],
  ["of an account that is not known yet", declares("FRESH", { account: unknownValue })],
])("does not compare a job with the value %s", async (_value, given) => {
  const service = await startWithJobs();
  const { exitCode, lines } = await check(service, previewOf(create("hidden", given)));
  expect({ exitCode, first: lines[0] }).toEqual({
    exitCode: 0,
    first: 'CachingJob "hidden": not compared, because a value is secret or not known in a preview.',
  });
});

test("fails where a token is refused", async () => {
  const service = await startWithJobs();
  const checked = await check({ ...service, token: "another" }, previewOf());
  expect(checked).toMatchObject({ exitCode: 1, stderr: saying("401") });
});

test.each([
  ["an empty one", "", /^Standard input is empty: did pulumi preview --json fail\? If no stack is selected, add /, 2],
  [
    "one of another command",
    '{"deployment":{}}',
    /^Standard input is not a preview\. Expected: what pulumi preview/,
    1,
  ],
  ["one that was cut off", previewOf().slice(0, -1), /^Standard input is not a preview\. Expected: what pulumi/, 1],
  [
    "one without what stays the same",
    JSON.stringify({ steps: [create("fresh", declares("FRESH")), { op: "same" }], changeSummary: { same: 2 } }),
    /^Standard input is a preview without the unchanged resources, .* Add --show-sames: pulumi preview/,
    1,
  ],
  [
    "one that failed",
    JSON.stringify({ steps: [], diagnostics: [{ severity: "error", message: "error: the program threw" }] }),
    /^Standard input is a preview that failed, so it does not show what pulumi up would do\. Run pulumi preview/,
    1,
  ],
])("a preview that cannot be used has its own words: %s", async (_, given, says, exitCode) => {
  const { stderr, ...checked } = await check(await start(), given);
  expect(checked).toEqual({ exitCode, lines: [""] });
  expect(stderr).toMatch(says);
});

test("compares a job with the list of its own account, where two accounts of one address list the same jobs", async () => {
  const service = await startWithJobs();
  const preview = previewOf(create("items", declares("ITEMS", { existingJobId: "job-ITEMS", account: "eu" })));
  const config = { ...allOperations, ...configOf({ eu: ownSettings(service) }) };
  expect(await check(service, preview, { config })).toMatchObject({ exitCode: 0 });
});

test("knows a job that was made before the settings named its account", async () => {
  const service = await startWithJobs();
  const config = { ...allOperations, ...configOf({ eu: ownSettings(service) }), "data-connectivity:account": "eu" };
  const { lines } = await check(service, previewOf(create("second", adopts), first), { config });
  expect(lines[0]).toContain(`CachingJob "second": ${held("job-ITEMS")}`);
});

test("a preview that is not there has its own words", async () => {
  const run = (...file: string[]) => new CliFolder().run(["jobs", "--at-service", "--check", ...file]);
  const unreadable = matching(/^The preview could not be read: .*absent/);
  const none = matching(/^No input: pipe the output of pulumi preview --json into this command, or name/);
  expect(await run("absent.json")).toMatchObject({ exitCode: 1, stderr: unreadable });
  expect(await run()).toMatchObject({ exitCode: 2, stderr: none });
});
