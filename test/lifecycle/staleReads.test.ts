import { sendOnce } from "../../provider/src/client/http.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { membersOf } from "../../provider/src/json.js";
import { cachingBody, cachingInputs } from "../support/all/declarations.js";
import { through, type Edit } from "../support/all/editedReplies.js";
import { fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { posts, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";

afterEach(stopAll);

/** A list that shows no params. */
const summaries: Edit = ({ body }) => {
  const { jobs } = membersOf(JSON.parse(body));
  const shown = Array.isArray(jobs) ? jobs.map((job) => ({ ...membersOf(job), params: undefined })) : [];
  return { body: JSON.stringify({ jobs: shown }) };
};

/** Keeps each reply for five minutes, and says so. */
function cache(now: () => number): Edit {
  const kept = new Map<string, { readonly body: string; readonly at: number }>();
  return ({ body, headers }, url) => {
    const known = kept.get(url);
    if (known !== undefined && now() - known.at < 300_000)
      return { body: known.body, headers: { ...headers, age: "30", "x-cache": "HIT" } };
    kept.set(url, { body, at: now() });
    return {};
  };
}

/** A stack whose job moved from table A to B, and a replica that shows it as it was for some seconds more. */
async function movedWithLateReplica(lateMs: number, inputs: typeof cachingInputs = cachingInputs) {
  const { stack, emulator, clock, use } = await fastStack();
  await stack.up({ a: inputs("a", "A") });
  clock.pass(3_600_000);
  const old = new Map<string, string>();
  let lateUntil = Infinity;
  const late: Edit = ({ body }, url) => (clock.now() < lateUntil ? { body: old.get(url) ?? body } : {});
  const first: Edit = ({ body }, url) => {
    old.set(url, body);
    return {};
  };
  use({}, emulator, { transport: through({ list: first, get: first }) });
  await stack.refresh();
  const [job] = emulator.jobs;
  const url = [...old.keys()][0]?.replace(/list$/, job?.id ?? "");
  old.set(url ?? "", JSON.stringify({ jobs: [{ ...job, params: { ...job?.params } }] }));
  await stack.up({ a: inputs("a", "B") });
  lateUntil = clock.now() + lateMs;
  const exportStack = () => Promise.resolve(stack.export());
  use({}, emulator, { transport: through({ list: late, get: late }), exportStack, command: upCommand });
  return { stack, emulator };
}

const closed: typeof cachingInputs = (name, table) => {
  const declared = cachingInputs(name, table);
  return { ...declared, __resource: identityFor(name, declared, ["additionalParams"]) };
};

test.each([
  ["shows", cachingInputs],
  ["hides", closed],
])(
  "A replica that is late in its list and its reads does not free the source that a change took, if the state %s its job",
  async (_what, inputs) => {
    const { stack, emulator } = await movedWithLateReplica(60_000, inputs);
    const { steps, text } = await stack.up({ b: cachingInputs("b", "B") });
    expect(steps).toMatchObject({ b: "failed" });
    expect(text).toContain('CachingJob "a" of this stack already has the job for this source');
    expect(posts(emulator.requests)).toBe(1);
  },
);

test("A refresh looks twice before it saves what is older than the last change", async () => {
  const { stack } = await movedWithLateReplica(8000);
  await stack.refresh();
  expect(JSON.stringify([...stack.state])).not.toContain('"sourceTable":"A"');
});

test("A refresh saves what it sees twice: another clock of the service may have dated the change", async () => {
  const { stack } = await movedWithLateReplica(60_000);
  await stack.refresh();
  expect(JSON.stringify([...stack.state])).toContain('"sourceTable":"A"');
});

test("A read that is older than the list says frees no source", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  const { id } = emulator.addJob(cachingBody("OTHER"));
  clock.pass(3_600_000);
  const [job] = emulator.jobs;
  const old = JSON.stringify({ jobs: [{ ...job, params: { ...job?.params } }] });
  emulator.changeJob(id, { params: { sourceTable: "A" } });
  use({}, emulator, { transport: through({ list: summaries, get: () => ({ body: old }) }) });
  expect((await stack.up({ a: cachingInputs("a", "A") })).steps).toEqual({ a: "failed" });
  expect(posts(emulator.requests)).toBe(0);
});

test("What a cache has kept of another's job does not show that it has left the source", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  const { id } = emulator.addJob(cachingBody("OTHER"));
  use({}, emulator, { transport: through({ list: summaries, get: cache(clock.now) }) });
  await stack.preview({ a: cachingInputs("a", "A") });
  clock.pass(60_000);
  emulator.changeJob(id, { params: { sourceTable: "A" } });
  expect((await stack.up({ a: cachingInputs("a", "A") })).steps).toEqual({ a: "failed" });
  expect(posts(emulator.requests)).toBe(0);
});

test("What a cache has kept of the stack's own job does not free the source that its change took", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  await stack.up({ a: cachingInputs("a", "A") });
  clock.pass(3_600_000);
  use({}, emulator, { transport: through({ list: summaries, get: cache(clock.now) }) });
  await stack.up({ a: cachingInputs("a", "B") });
  clock.pass(30_000);
  await stack.refresh();
  await stack.up({ b: cachingInputs("b", "B") });
  expect(posts(emulator.requests)).toBe(1);
});

/** A stack whose job was just changed, and a replica that shows it as it was for five seconds more. */
async function changedWithLateReplica(before: Declaration, after: Declaration, hidden: "list" | "summary" | "get") {
  const { stack, emulator, clock, use } = await fastStack();
  await stack.up({ a: before });
  const old = JSON.stringify({ jobs: emulator.jobs });
  clock.pass(5000);
  await stack.up({ a: after });
  clock.pass(3000);
  const until = clock.now() + 5000;
  const late: Edit = () => (clock.now() < until ? { body: old } : {});
  const ids: Edit = () => ({ body: JSON.stringify({ jobs: emulator.jobs.map(({ id }) => ({ id })) }) });
  const empty: Edit = () => (clock.now() < until ? { body: '{"jobs":[]}' } : {});
  const list = { list: empty, summary: ids, get: late }[hidden];
  use({}, emulator, { transport: through(hidden === "get" ? { list } : { list, get: late }) });
  return { stack, emulator };
}

const plain = cachingInputs("a", "A");
const more = { ...plain, additionalParams: { password: "HUSH" } };
const withSecret = { ...more, __resource: identityFor("a", more, ["additionalParams"]) };

test.each(["list", "summary"] as const)(
  "A refresh saves nothing of a late read, where the %s shows no more",
  async (hidden) => {
    const { stack } = await changedWithLateReplica(plain, { ...plain, intervalValue: 9 }, hidden);
    await stack.refresh();
    expect(stack.state.get("a")?.outputs).toMatchObject({ intervalValue: 9 });
  },
);

test("A refresh saves no secret in clear that an earlier change has removed and a late read still shows", async () => {
  const { stack } = await changedWithLateReplica(withSecret, plain, "list");
  await stack.refresh();
  expect(JSON.stringify([...stack.state])).not.toContain("HUSH");
});

test("A change does not send again what an earlier change has removed and a late list still shows", async () => {
  const { stack, emulator } = await changedWithLateReplica(withSecret, plain, "get");
  expect((await stack.up({ a: { ...plain, intervalValue: 9 } })).steps).toEqual({ a: "updated" });
  expect(JSON.stringify([emulator.jobs, [...stack.state]])).not.toContain("HUSH");
});

/** A replica that is late, of a service whose replies to changes may lack their dates. */
function useLateReplica(
  { clock, emulator, stack, use }: Awaited<ReturnType<typeof fastStack>>,
  old: string,
  ms: number,
) {
  const until = clock.now() + ms;
  const late: Edit = () => (clock.now() < until ? { body: old } : {});
  const exportStack = () => Promise.resolve(stack.export());
  use({}, emulator, { transport: withoutDates(through({ list: late, get: late })), exportStack, command: upCommand });
}

/** Without the dates of changed jobs. */
const withoutDates =
  (sent: typeof sendOnce): typeof sendOnce =>
  async (request) => {
    const result = await sent(request);
    if (request.method !== "PUT" || result.kind !== "reply") return result;
    const undated = (name: string, value: unknown): unknown => (name === "lastModified" ? undefined : value);
    return { ...result, body: JSON.stringify(JSON.parse(result.body), undated) };
  };

describe("Where nothing dates what the state has, a late replica", () => {
  test("does not free the source that the user has given a job", async () => {
    const used = await fastStack();
    const { stack, emulator, clock } = used;
    await stack.up({ a: plain });
    clock.pass(3_600_000);
    const old = JSON.stringify({ jobs: emulator.jobs });
    emulator.changeJob(emulator.jobs[0]?.id ?? "", { params: { sourceTable: "B" } });
    useLateReplica(used, old, 8000);
    const confirmed = cachingInputs("a", "B", { changedAtService: "2026-12-01" });
    expect((await stack.up({ a: confirmed })).steps).toEqual({ a: "updated" });
    await stack.up({ b: cachingInputs("b", "B") });
    expect(emulator.jobs.map(({ params }) => params["sourceTable"])).toEqual(["B"]);
  });

  test("does not free the source that a change has taken", async () => {
    const used = await fastStack();
    const { stack, emulator, clock, use } = used;
    await stack.up({ a: plain });
    clock.pass(3_600_000);
    const old = JSON.stringify({ jobs: emulator.jobs });
    use({}, emulator, { transport: withoutDates(sendOnce) });
    expect((await stack.up({ a: cachingInputs("a", "B") })).steps).toEqual({ a: "updated" });
    useLateReplica(used, old, 60_000);
    await stack.up({ b: cachingInputs("b", "B") });
    expect(posts(emulator.requests)).toBe(1);
  });

  test("shows a refresh no secret that the user has removed", async () => {
    const used = await fastStack();
    const { stack, emulator, clock } = used;
    await stack.up({ a: withSecret });
    clock.pass(3_600_000);
    const old = JSON.stringify({ jobs: emulator.jobs });
    emulator.changeJob(emulator.jobs[0]?.id ?? "", { params: { password: "" } });
    useLateReplica(used, old, 8000);
    expect((await stack.up({ a: { ...plain, changedAtService: "2026-12-01" } })).steps).toEqual({ a: "updated" });
    clock.pass(3000);
    await stack.refresh();
    expect(JSON.stringify([...stack.state])).not.toContain("HUSH");
  });

  test.each(["refresh", "change"])("shows a %s no secret that a change has removed", async (how) => {
    const used = await fastStack();
    const { stack, emulator, clock, use } = used;
    await stack.up({ a: withSecret });
    const old = JSON.stringify({ jobs: emulator.jobs });
    use({}, emulator, { transport: withoutDates(sendOnce) });
    clock.pass(5000);
    expect((await stack.up({ a: plain })).steps).toEqual({ a: "updated" });
    clock.pass(3000);
    useLateReplica(used, old, 5000);
    await (how === "change" ? stack.up({ a: { ...plain, intervalValue: 9 } }) : stack.refresh());
    expect(JSON.stringify([emulator.jobs, [...stack.state]])).not.toContain("HUSH");
  });
});

/** A stack whose user has changed its job at the service, so that nothing dates what the state has of it. */
async function confirmedStack(before: Declaration, change: Parameters<TestServer["changeJob"]>[1], after: Declaration) {
  const used = await fastStack();
  const { stack, emulator, clock } = used;
  await stack.up({ a: before });
  clock.pass(3_600_000);
  const old = JSON.stringify({ jobs: emulator.jobs });
  const id = emulator.jobs[0]?.id ?? "";
  emulator.changeJob(id, change);
  expect((await stack.up({ a: after })).steps).toEqual({ a: "updated" });
  clock.pass(3000);
  return { ...used, old, id };
}

const notFound: Edit = () => ({ status: 404, body: "" });
const confirmed = { ...plain, changedAtService: "2026-12-01" };

describe("Where nothing dates what the state has, a list of today counts more than a read", () => {
  test.each(["refresh", "change"])("that is late, in a %s", async (how) => {
    const { stack, emulator, use, old } = await confirmedStack(withSecret, { params: { password: "" } }, confirmed);
    use({}, emulator, { transport: through({ get: () => ({ body: old }) }) });
    await (how === "change" ? stack.up({ a: { ...confirmed, intervalValue: 9 } }) : stack.refresh());
    const params = emulator.jobs.map((job) => job.params);
    expect(JSON.stringify([params, [...stack.state]])).not.toContain("HUSH");
  });

  test("that finds no job, in a refresh", async () => {
    const after = { ...confirmed, intervalValue: 9 };
    const { stack, emulator, use } = await confirmedStack(plain, { intervalValue: 9 }, after);
    use({}, emulator, { transport: through({ get: notFound }) });
    expect((await stack.refresh()).steps).toEqual({ a: "read" });
  });

  test("that finds no job, in a change of a job that has moved", async () => {
    const after = { ...confirmed, intervalValue: 9 };
    const { stack, emulator, clock, use, id } = await confirmedStack(plain, { intervalValue: 9 }, after);
    emulator.changeJob(id, { params: { sourceTable: "C" } });
    emulator.addJob(cachingBody("A"));
    clock.pass(3_600_000);
    use({}, emulator, { transport: through({ get: notFound }) });
    expect((await stack.up({ a: { ...after, intervalValue: 10 } })).steps).toEqual({ a: "failed" });
    expect(emulator.jobs.map(({ params }) => params["sourceTable"])).toEqual(["C", "A"]);
  });
});

test("A change is refused if a read finds no job that a list of summaries has", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  await stack.up({ a: plain });
  emulator.changeJob(emulator.jobs[0]?.id ?? "", { params: { theirs: "x" } });
  clock.pass(3_600_000);
  use({}, emulator, { transport: through({ list: summaries, get: notFound }) });
  const { steps, text } = await stack.up({ a: { ...plain, intervalValue: 10 } });
  expect(steps).toEqual({ a: "failed" });
  expect(text).toContain("no such job, but its list of jobs has it");
  expect(emulator.jobs).toMatchObject([{ intervalValue: 4, params: { theirs: "x" } }]);
});

test("A refresh keeps a job that an old list has and a read does not find", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  await stack.up({ a: plain });
  const old = JSON.stringify({ jobs: emulator.jobs });
  clock.pass(3_600_000);
  await stack.up({ a: { ...plain, intervalValue: 9 } });
  use({}, emulator, { transport: through({ list: () => ({ body: old }), get: notFound }) });
  expect((await stack.refresh()).steps).toEqual({ a: "failed" });
});

/** A stack whose job has just been changed, at a service that dates its jobs so, and reads that are late. */
async function datedStack(
  date: (text: string) => string | undefined,
  before: Declaration,
  after: Declaration,
  lateMs: number,
) {
  const { stack, emulator, clock, use } = await fastStack();
  clock.pass(60_000 - (clock.now() % 60_000) + 1000);
  const dated =
    (late: () => string | undefined): typeof sendOnce =>
    async (request) => {
      const result = await sendOnce(request);
      if (result.kind !== "reply" || result.body === "") return result;
      const isRead = request.method === "GET" && request.url.includes("/api/job/");
      const body = (isRead ? late() : undefined) ?? result.body;
      const edit = (name: string, value: unknown) => (name === "lastModified" ? date(String(value)) : value);
      return { ...result, body: JSON.stringify(JSON.parse(body), edit) };
    };
  use({}, emulator, { transport: dated(() => undefined) });
  await stack.up({ a: before });
  const old = JSON.stringify({ jobs: emulator.jobs });
  clock.pass(5000);
  expect((await stack.up({ a: after })).steps).toEqual({ a: "updated" });
  clock.pass(3000);
  const until = clock.now() + lateMs;
  const exportStack = () => Promise.resolve(stack.export());
  const transport = dated(() => (clock.now() < until ? old : undefined));
  use({}, emulator, { transport, exportStack, command: upCommand });
  return { stack, emulator };
}

describe.each<[string, (text: string) => string | undefined]>([
  ["no dates", () => undefined],
  ["dates that mean never", () => "0001-01-01T00:00:00Z"],
  ["dates of whole minutes", (text) => text.replace(/:\d\d\.\d+Z$/, ":00Z")],
])("At a service with %s, a late read", (_what, date) => {
  test.each(["refresh", "change"])("shows a %s no secret that a change has removed", async (how) => {
    const { stack, emulator } = await datedStack(date, withSecret, plain, 5000);
    await (how === "change" ? stack.up({ a: { ...plain, intervalValue: 9 } }) : stack.refresh());
    expect(JSON.stringify([emulator.jobs, [...stack.state]])).not.toContain("HUSH");
  });

  test("does not free the source that a change has taken", async () => {
    const { stack, emulator } = await datedStack(date, plain, cachingInputs("a", "B"), 60_000);
    await stack.up({ b: cachingInputs("b", "B") });
    expect(posts(emulator.requests)).toBe(1);
  });
});

/** Another's job that has moved from one table to another, and a list that shows it as it is and as it was. */
async function listedTwice(was: string, is: string, env: Record<string, string> = {}) {
  const { stack, emulator, clock, use } = await fastStack();
  const { id } = emulator.addJob(cachingBody(was));
  clock.pass(3_600_000);
  const [old] = emulator.jobs.map((job) => ({ ...job, params: { ...job.params } }));
  emulator.changeJob(id, { params: { sourceTable: is } });
  const list: Edit = () => ({ body: JSON.stringify({ jobs: [...emulator.jobs, old] }) });
  use({}, emulator, { transport: through({ list }), env });
  return { stack, emulator };
}

describe("A list that shows a job in two ways", () => {
  test("frees no source", async () => {
    const { stack, emulator } = await listedTwice("OTHER", "A");
    const { steps, text } = await stack.up({ a: plain });
    expect([steps, posts(emulator.requests)]).toEqual([{ a: "failed" }, 0]);
    expect(text).toMatch(/The reply shows job \S+ in two ways/);
  });

  test("shows no job to adopt", async () => {
    const { stack } = await listedTwice("A", "OTHER", { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" });
    expect((await stack.up({ a: plain })).steps).toEqual({ a: "failed" });
  });
});
