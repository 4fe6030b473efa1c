import { isObject, membersOf, parseJson } from "../../provider/src/json.js";
import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { through, type Edit } from "../support/all/editedReplies.js";
import { fastStack } from "../support/all/inProcess.js";
import { posts, stopAll } from "../support/emulated.js";

// What a list or a read reports of a job's source, in odd ways.

afterAll(stopAll);

const old = { created: "2020-01-01T00:00:00Z" };

/** Edits each job of a reply. */
const edited =
  (edit: (job: Readonly<Record<string, unknown>>) => object): Edit =>
  ({ body }) => {
    const { jobs } = membersOf(parseJson(body));
    return Array.isArray(jobs) ? { body: JSON.stringify({ jobs: jobs.filter(isObject).map(edit) }) } : {};
  };

describe.each(["CachingJob", "Caching ", "Unknown"])("A list with %j for the type of a job", (jobType) => {
  const typed = edited((job) => ({ ...job, jobType }));

  test("does not free the job's source", async () => {
    const { emulator, stack, use } = await fastStack();
    emulator.addJob(cachingBody("ORDERS"), old);
    use({}, emulator, { transport: through({ list: typed }) });
    await stack.up({ orders });
    expect(posts(emulator.requests)).toBe(0);
  });

  test("does not show that a create with a lost reply made none", async () => {
    const { emulator, stack, use, clock } = await fastStack();
    use({}, emulator, { transport: through({ list: typed, get: typed }) });
    emulator.inject({ kind: "reset", on: "create", processed: true });
    await stack.up({ orders });
    clock.pass(150_000);
    await stack.up({ orders });
    expect(emulator.jobs).toHaveLength(1);
  });
});

test.each<[string, (params: Readonly<Record<string, unknown>>) => object]>([
  ["no members", () => ({})],
  ["nulls", (params) => Object.fromEntries(Object.keys(params).map((name) => [name, null]))],
  ["no connection", (params) => ({ ...params, sourceConnection: undefined })],
])("One read whose params have %s does not free a source that summaries do not show", async (_what, edit) => {
  const { stack, emulator, use } = await fastStack();
  emulator.addJob(cachingBody("ORDERS"), old);
  let reads = 0;
  const withoutSource = edited((job) => ({ ...job, params: edit(membersOf(job["params"])) }));
  const get: Edit = (reply, url) => ((reads += 1) === 1 ? withoutSource(reply, url) : {});
  use({}, emulator, { transport: through({ list: edited((job) => ({ ...job, params: undefined })), get }) });
  await stack.up({ orders });
  expect(posts(emulator.requests)).toBe(0);
});

test.each([400, 422])("An id that the service answers with %s stops no other create", async (status) => {
  const { stack, emulator, clock, use } = await fastStack({ jobOperations: "create" });
  // Mode create adopts it unchecked.
  const typo = cachingInputs("typo", "TYPO", { existingJobId: "4711" });
  await stack.up({ typo });
  clock.pass(3_600_000);
  use({});
  emulator.inject({ kind: "reply", on: "get", status, times: -1 });
  expect((await stack.up({ typo, orders }, { continueOnError: true })).steps).toMatchObject({ orders: "created" });
});

test.each<[string, (name: string) => unknown]>([
  ["in another encoding", (name) => Buffer.from(name, "latin1").toString("utf8")],
  ["in an array", (name) => [name]],
  ["in an object", (name) => ({ name })],
])("A source that is told %s is not free", async (_how, told) => {
  const { emulator, stack, use } = await fastStack();
  emulator.addJob(cachingBody("Größe"), old);
  const list = edited((job) => ({ ...job, params: { ...membersOf(job["params"]), sourceTable: told("Größe") } }));
  use({}, emulator, { transport: through({ list, get: list }) });
  expect((await stack.up({ orders: cachingInputs("orders", "Größe") })).steps).toEqual({ orders: "failed" });
  expect(posts(emulator.requests)).toBe(0);
});

test.each<[string, unknown]>([
  ["another name in another encoding", "Ums\ufffdtze"],
  ["a name of which nothing can be read", "\ufffd\ufffd"],
  ["a list of other names", ["X", "Y"]],
])("%s is not the source of a resource", async (_what, sourceTable) => {
  const { emulator, stack, use } = await fastStack();
  emulator.addJob(cachingBody("OTHER"), old);
  const list = edited((job) => ({ ...job, params: { ...membersOf(job["params"]), sourceTable } }));
  use({}, emulator, { transport: through({ list, get: list }) });
  expect((await stack.up({ orders })).steps).toEqual({ orders: "created" });
});

test("Two resources with one odd name make one job", async () => {
  const { emulator, stack } = await fastStack();
  const [a, b] = ["a", "b"].map((name) => cachingInputs(name, "Ums\ufffdtze"));
  await stack.up({ a: a ?? {}, b: b ?? {} }, { continueOnError: true });
  expect(posts(emulator.requests)).toBe(1);
});
