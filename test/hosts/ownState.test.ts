import { CliError } from "../../provider/src/hosts/cliOutput.js";
import type { EarlierNote } from "../../provider/src/hosts/createNotes.js";
import { OwnStateReader, type RunStack } from "../../provider/src/hosts/ownState.js";
import type { StackOfCli } from "../../provider/src/hosts/stackExport.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import type { JsonObject } from "../../provider/src/json.js";
import { declaration } from "../support/declaration.js";

const stack = "urn:pulumi:dev::project";
const type = "data-connectivity:index:CachingJob";
const urnOf = (name: string, types = type, of = stack) => `${of}::${types}::${name}`;
const hidden = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:abc" };
const origin = { outcome: "created", baseUrl: "https://service.test", at: "2026-01-01T00:00:00.000Z" };
const job = (name: string, more: JsonObject = {}): JsonObject => ({
  urn: urnOf(name),
  type,
  id: `id of ${name}`,
  inputs: declaration,
  outputs: { ...declaration, job: { id: `id of ${name}` }, origin },
  provider: `${stack}::pulumi:providers:data-connectivity::default_0_1_0::id`,
  ...more,
});
const creating = (name: string, more: JsonObject = {}): JsonObject => ({
  type: "creating",
  resource: { urn: urnOf(name), type, inputs: declaration, ...more },
});
const exported = (resources: readonly JsonObject[], open: readonly JsonObject[] = []): string =>
  JSON.stringify({
    deployment: { manifest: { time: "2026-01-02T03:04:05.123456789Z" }, resources, pending_operations: open },
  });
const other = exported([{ urn: "urn:pulumi:other::project::pulumi:pulumi:Stack::project-other" }]);
const empty = exported([]);

/** What a reader finds if the CLI answers so for each name; it fails for a name that is not given. */
async function readWith(answers: Readonly<Record<string, string | Error>>, organization?: string, ofCli?: StackOfCli) {
  const asked: string[] = [];
  const said: string[] = [];
  const exportStack = (name = "selected") => {
    asked.push(name);
    const answer = answers[name] ?? new Error("no such stack");
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const reader = new OwnStateReader({
    exportStack,
    stackOfCli: () => ofCli,
    report: ({ severity, text }) => {
      if (severity === "warning") said.push(text);
    },
  });
  const run: RunStack = { urn: urnOf("new"), organization, provider: "default" };
  reader.stack = run;
  const [state, again] = await Promise.all([reader.read(), reader.read()]);
  expect(again).toBe(state);
  return { state, asked, said };
}

const source = JSON.stringify([declaration.params.sourceConnection, "public", "orders"]);

test("The state says which resource has which job, and which creates a killed run left open", async () => {
  const text = exported(
    [
      { urn: urnOf("project-dev", "pulumi:pulumi:Stack"), type: "pulumi:pulumi:Stack" },
      job("orders"),
      job("in component", { urn: urnOf("inner", `my:index:Team$${type}`) }),
      job("secret", {
        inputs: { ...declaration, params: hidden },
        outputs: { params: hidden, job: hidden, origin },
        provider: "pb::id",
      }),
      job("unconfirmed", { id: "unconfirmed-1", outputs: { job: {}, origin } }),
      job("only read", { external: true }),
      { urn: urnOf("bucket", "aws:s3:Bucket"), type: "aws:s3:Bucket", id: "b" },
    ],
    [creating("lost"), { ...creating("changed"), type: "updating" }, creating("bucket", { type: "aws:s3:Bucket" })],
  );
  const { state, asked, said } = await readWith({ selected: text });
  const sent = expect.objectContaining({ source }) as unknown;
  const found = {
    kind: cachingJob,
    id: expect.any(String) as unknown,
    ...{ origin: expect.objectContaining(origin) as unknown, isOfProvider: true },
  };
  expect(state?.jobs).toEqual([
    { ...found, urn: urnOf("orders"), label: 'CachingJob "orders"', sent, jobId: "id of orders" },
    {
      ...found,
      urn: urnOf("inner", `my:index:Team$${type}`),
      label: 'CachingJob "inner"',
      sent,
      jobId: "id of in component",
    },
    {
      ...found,
      isOfProvider: false,
      urn: urnOf("secret"),
      label: 'CachingJob "secret"',
      sent: expect.objectContaining({ source: undefined, hidesParams: true }) as unknown,
      jobId: "id of secret",
    },
    { ...found, urn: urnOf("unconfirmed"), label: 'CachingJob "unconfirmed"', sent, jobId: undefined },
  ]);
  expect(state?.unconfirmed).toMatchObject([
    {
      ...{ urn: urnOf("lost"), label: 'CachingJob "lost"', kind: cachingJob, sent: { source }, id: undefined },
      ...{ why: "killedRun", at: "2026-01-02T03:04:05.123Z", isAtOrBefore: true },
    },
  ]);
  expect(state?.savedAt).toBe(Date.parse("2026-01-02T03:04:05.123Z"));
  expect([asked, said]).toEqual([["selected"], []]);
});

const failed = new CliError("pulumi stack export says: no stack selected");
const missing = new CliError("no pulumi CLI is on PATH.", true);
const shim = "mise: using pulumi 3.248.0\n[mise] done\n";
const unread = "what pulumi stack export printed cannot be read:";
const own = exported([job("orders")]);

test.each([
  ["the selected stack", { selected: own }, undefined, ["selected"]],
  [
    "the selected stack, if a version manager prints lines",
    { selected: shim + own + "\nbye\n" },
    undefined,
    ["selected"],
  ],
  ["the stack of this name, if another is selected", { selected: other, dev: own }, undefined, ["selected", "dev"]],
  ["the stack of this name, if none is selected", { selected: failed, dev: own }, undefined, ["selected", "dev"]],
  ["the stack of the organization that the program tells", { "acme/project/dev": own }, "acme", ["acme/project/dev"]],
  [
    "the selected stack, if the backend has no organizations",
    { selected: own },
    "organization",
    ["organization/project/dev", "selected"],
  ],
])("The run's stack is %s", async (_, answers, organization, expected) => {
  const { state, asked, said } = await readWith(answers, organization);
  expect(state?.jobs).toHaveLength(1);
  expect([asked, said]).toEqual([expected, []]);
});

test.each([
  ["selected", { name: undefined }],
  ["acme/project/dev", { name: "acme/project/dev" }],
])("Where the CLI's process tells its stack, one question is enough for an empty one: %s", async (name, ofCli) => {
  const { state, asked } = await readWith({ [name]: empty }, undefined, ofCli);
  expect([state?.jobs, asked]).toEqual([[], [name]]);
});

test("A stack that was asked for by its name may be empty", async () => {
  const { state, asked } = await readWith({ selected: empty, dev: empty });
  expect([state?.jobs, asked]).toEqual([[], ["selected", "dev"]]);
});

test.each([
  ["another stack", { selected: other, dev: other }, "pulumi stack export shows another stack."],
  ["a failure", { selected: failed, dev: failed }, "pulumi stack export says: no stack selected"],
  ["part of the JSON", { selected: failed, dev: own.slice(0, -1) }, `${unread} it is not complete JSON.`],
  ["no JSON", { selected: "{", dev: "" }, `${unread} it is empty.`],
  ["lines alone", { selected: shim, dev: shim }, `${unread} its first line is "mise: using pulumi 3.248.0".`],
  ["another document", { selected: "{}", dev: "{}" }, 'what pulumi stack export printed has no "deployment".'],
  ["no CLI", { selected: missing, dev: own }, "no pulumi CLI is on PATH.", "noCli"],
])("Nothing is known after %s, and one line says so", async (_, answers, why, unread = "unreadable") => {
  const { state, said } = await readWith(answers);
  expect(state).toMatchObject({ jobs: [], unconfirmed: [], unread });
  expect(said).toEqual([
    `The stack's state cannot be read, so this run does not know which creates earlier runs left unconfirmed, nor the jobs of the stack's other providers: ${why}`,
  ]);
});

test("A resource that tells the run's stack by its id tells the notes of its stack, too", async () => {
  const at = "2026-01-03T00:00:00.000Z";
  const saved = job("lost", {
    id: "unconfirmed-1",
    outputs: { job: {}, origin: { ...origin, outcome: "unconfirmed" } },
  });
  const reader = readerWith([saved], [noteOf(urnOf("lost"), at)]);
  reader.stack = { id: "unconfirmed-1" };
  expect((await reader.read())?.unconfirmed).toMatchObject([
    { id: "unconfirmed-1", why: "killedRun", at, trace: "note", from: origin.at, to: at },
  ]);
  expect(removed).toEqual([]);
});

const removed: string[] = [];
beforeEach(() => void (removed.length = 0));

const noteOf = (urn: string, at: string): EarlierNote => ({
  ...{ urn, at, sentMs: Date.parse(at), path: `note of ${urn}` },
  ...{ baseUrl: origin.baseUrl, account: undefined, declared: declaration },
});

/** A reader of a state with these resources; without them, the state cannot be read. */
function readerWith(resources: readonly JsonObject[] | undefined, notes: readonly EarlierNote[]) {
  const reader = new OwnStateReader({
    exportStack: () => (resources === undefined ? Promise.reject(failed) : Promise.resolve(exported(resources))),
    stackOfCli: () => undefined,
    report: () => undefined,
    createNotes: { ofEarlierRuns: () => notes, remove: ({ path }) => void removed.push(path) },
  });
  reader.stack = { urn: urnOf("new"), organization: undefined, provider: "default" };
  return reader;
}

test.each([
  ["is older than the record of its resource is ended by it", "2025-12-31T00:00:00.000Z", true],
  ["is of the create that the state records is ended by it", origin.at, true],
  ["is newer than the record of its resource stays", "2026-01-01T00:00:00.001Z", false],
])("A note that %s", async (_what, at, isEnded) => {
  const state = await readerWith([job("orders")], [noteOf(urnOf("orders"), at)]).read();
  expect(removed).toEqual(isEnded ? [`note of ${urnOf("orders")}`] : []);
  expect(state?.unconfirmed).toHaveLength(isEnded ? 0 : 1);
});

test("A newer note of another account at one address hides no older one", async () => {
  const notes = ["2026-01-03T00:00:00.000Z", "2026-01-04T00:00:00.000Z"].map((at, n) => ({
    ...noteOf(urnOf("orders"), at),
    subject: `account ${n}`,
  }));
  expect((await readerWith([], notes).read())?.unconfirmed).toHaveLength(2);
});

test.each([false, true])(
  "A job that was adopted ends no note of its own replacement (is being replaced: %s)",
  async (isMarked) => {
    const adopted = { ...declaration, job: { id: "a" }, origin: { ...origin, outcome: "adopted" } };
    const saved = job("orders", { outputs: adopted, ...(isMarked && { pendingReplacement: true }) });
    // The clock of the machine that adopted it was ahead.
    const state = await readerWith([saved], [noteOf(urnOf("orders"), "2025-12-31T23:50:00.000Z")]).read();
    expect(removed).toHaveLength(isMarked ? 0 : 1);
    expect(state?.unconfirmed).toHaveLength(isMarked ? 1 : 0);
  },
);

test("A note of which the state knows nothing stays: the state may have been read before it was written", async () => {
  const reader = readerWith([], [noteOf(urnOf("orders"), origin.at)]);
  expect((await reader.read())?.unconfirmed).toMatchObject([
    { urn: urnOf("orders"), id: undefined, trace: "note", sent: { source }, place: { baseUrl: origin.baseUrl } },
  ]);
  expect(removed).toEqual([]);
});

test("A note of another stack of the folder is one: this stack may have had that name", async () => {
  const urn = urnOf("orders", type, "urn:pulumi:old::project");
  const reader = readerWith([job("items")], [noteOf(urn, "2026-11-01T12:00:01.000Z")]);
  expect((await reader.read())?.unconfirmed).toMatchObject([{ otherStack: "old (project project)", sent: { source } }]);
});

test("The notes are read although the state cannot be", async () => {
  const state = await readerWith(undefined, [noteOf(urnOf("orders"), origin.at)]).read();
  expect(state).toMatchObject({
    unread: "unreadable",
    jobs: [],
    unconfirmed: [{ urn: urnOf("orders"), trace: "note" }],
  });
});

test("A job of the same source under another name ends no note of a create that may still be in flight", async () => {
  const own = { ...origin, subject: "s", at: "2026-01-01T00:03:00.000Z" };
  const saved = job("copy", { outputs: { ...declaration, job: { id: "b" }, origin: own } });
  const note = { ...noteOf(urnOf("orders"), "2026-01-01T00:00:00.000Z"), subject: "s", flightMs: 900_000 };
  const state = await readerWith([saved], [note]).read();
  expect([removed, state?.unconfirmed.length]).toEqual([[], 1]);
});

test("A state that hides the origin of a job shows the killed creates, and not who has which job", async () => {
  const text = exported(
    [job("orders"), job("items", { outputs: { ...declaration, job: { id: "b" }, origin: hidden } })],
    [creating("lost")],
  );
  const { state, said } = await readWith({ selected: text });
  expect(state).toMatchObject({ unread: "unreadable", unconfirmed: [{ urn: urnOf("lost") }] });
  expect(said).toEqual([expect.stringContaining('does not show which job CachingJob "items" has')]);
});
