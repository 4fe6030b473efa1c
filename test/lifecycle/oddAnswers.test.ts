import { sendOnce } from "../../provider/src/client/http.js";
import { cachingBody, cachingInputs, items, orders, queryBody, queryInputs } from "../support/all/declarations.js";
import { through, type Edit } from "../support/all/editedReplies.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { posts, stopAll } from "../support/emulated.js";
import { resendIn } from "../support/resending.js";

afterEach(stopAll);

const empty: Edit = () => ({ body: '{"jobs":null}' });

test("A list that lacks the stack's own jobs does not show that a source is free", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  await stack.up({ items });
  emulator.addJob(cachingBody("ORDERS"));
  clock.pass(3_600_000);
  use({}, emulator, { transport: through({ list: empty }) });
  const { steps, text } = await stack.up({ items, orders });
  expect(steps).toEqual({ items: "same", orders: "failed" });
  expect(text).toContain("The list of jobs lacks jobs of this stack that the service has");
  use({}, emulator);
  // Deleted at the service, and so in no list.
  for (const { id } of [...emulator.jobs]) emulator.removeJob(id);
  expect((await stack.up({ items, orders })).steps).toMatchObject({ orders: "created" });
});

test.each<[string, Edit]>([
  ["with status 202", () => ({ status: 202 })],
  [
    "with an error beside it",
    ({ body }) => ({ body: body.replace(/\}$/, ',"errors":["The run could not be queued."]}') }),
  ],
])("The id of a create's reply is kept %s, and read before the create is resent", async (_when, create) => {
  const { stack, emulator, clock, use } = await fastStack();
  use({}, emulator, { transport: through({ create, list: empty }) });
  const first = await stack.up({ orders });
  expect(first).toMatchObject(did("recorded"));
  expect(first.text).toContain(emulator.jobs[0]?.id);
  clock.pass(150_000);
  expect((await stack.up({ orders })).steps).toMatchObject({ orders: "updated" });
  expect(posts(emulator.requests)).toBe(1);
});

const undated: typeof sendOnce = async (request) => {
  const result = await sendOnce(request);
  return result.kind === "reply" ? { ...result, headers: {} } : result;
};

const threeWeeksMs = 21 * 24 * 3_600_000;

test.each([
  ["create", "Z", through({ list: empty })],
  ["create", "", through({ list: empty })],
  ["create", "Z", undated],
  ["all", "Z", through({ list: empty })],
  ["all", "", through({ list: empty })],
])(
  'Mode %s: a create that is answered with a job of three weeks ago (zone "%s") has not made it',
  async (jobOperations, zone, transport) => {
    const { stack, emulator, clock, use } = await fastStack({ jobOperations });
    const created = new Date(clock.now() - threeWeeksMs).toISOString().replace("Z", zone);
    emulator.addJob(cachingBody("ORDERS"), { id: "theirs", created });
    const jobs = [{ ...cachingBody("ORDERS"), id: "theirs", created }];
    emulator.inject({ kind: "reply", status: 200, on: "create", body: { jobs }, processed: false });
    use({ jobOperations }, emulator, { transport });
    const { steps, text } = await stack.up({ orders });
    expect(steps).toEqual({ orders: "recorded" });
    expect(text).toContain(`with job theirs, which is not the new one: it was created at ${created}, long before this`);
    use({ jobOperations: "all" }, emulator);
    await stack.destroy();
    expect(emulator.jobs).toHaveLength(1);
  },
);

test("A job of three weeks ago that an unclear reply to a create names is not taken for its job", async () => {
  const { stack, emulator, clock } = await fastStack();
  const created = new Date(clock.now() - threeWeeksMs).toISOString();
  const jobs = [{ ...cachingBody("ORDERS"), id: "theirs", created }];
  emulator.inject({ kind: "reply", status: 202, on: "create", body: { jobs }, processed: false });
  const { steps, text } = await stack.up({ orders });
  expect(steps).toEqual({ orders: "recorded" });
  expect(text).not.toContain("theirs");
});

test("The resend of a killed create that is answered with a job of three weeks ago has not made it", async () => {
  const mode = { jobOperations: "create" };
  const { stack, emulator, clock, use } = await fastStack(mode);
  const up = async (env: Readonly<Record<string, string>> = {}) => {
    use(mode, emulator, { env, command: upCommand });
    stack.savedAt = clock.now();
    return stack.up({ orders }, { serial: true, continueOnError: true });
  };
  stack.pending.set("orders", orders);
  expect(await up()).toMatchObject(did("recorded"));
  clock.pass(780_000);
  const { messages } = await up();
  const { env } = resendIn(messages["orders"] ?? "") ?? {};
  const created = new Date(clock.now() - threeWeeksMs).toISOString();
  const jobs = [{ ...cachingBody("ORDERS"), id: "theirs", created }];
  emulator.inject({ kind: "reply", status: 200, on: "create", body: { jobs }, processed: false });
  expect(await up(env)).toMatchObject(did("recorded", "long before"));
  expect(posts(emulator.requests)).toBe(1);
});

test.each(["up", "destroy"] as const)(
  "A job that a reply has named is neither made again nor forgotten while its read is refused (%s)",
  async (command) => {
    const { stack, emulator, clock, use } = await fastStack();
    use({}, emulator, { transport: through({ create: () => ({ status: 202 }), list: empty }) });
    expect(await stack.up({ orders })).toMatchObject(did("recorded"));
    clock.pass(150_000);
    emulator.inject({ kind: "reply", status: 409, on: "get", processed: false });
    const { steps } = command === "up" ? await stack.up({ orders }) : await stack.destroy();
    expect(steps).toEqual({ orders: "failed" });
    expect(posts(emulator.requests)).toBe(1);
  },
);

test.each([
  ["another resource", { a: cachingInputs("a", "B"), b: cachingInputs("b", "B") }],
  ["a renamed one", { b: cachingInputs("b", "B") }],
])("A list that is older than a change does not free the source that the change took (%s)", async (_who, program) => {
  const { stack, emulator, clock, use } = await fastStack();
  let old: string | undefined;
  const list: Edit = ({ body }) => ({ body: old ?? body });
  await stack.up({ a: cachingInputs("a", "A") });
  clock.pass(3_600_000);
  use({}, emulator, { transport: through({ list: ({ body }) => ({ body: (old = body) }) }) });
  await stack.refresh();
  expect((await stack.up({ a: cachingInputs("a", "B") })).steps).toEqual({ a: "updated" });
  use({}, emulator, { transport: through({ list }) });
  const { steps, text } = await stack.up(program);
  expect(steps).toMatchObject({ b: "failed" });
  expect(text).toContain('CachingJob "a" of this stack already has the job for this source');
  expect(posts(emulator.requests)).toBe(1);
});

test("A refresh with a list that is older than the last change saves nothing of before it", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  let old = "";
  await stack.up({ a: cachingInputs("a", "A") });
  clock.pass(3_600_000);
  use({}, emulator, { transport: through({ list: ({ body }) => ({ body: (old = body) }) }) });
  await stack.refresh();
  await stack.up({ a: cachingInputs("a", "B") });
  use({}, emulator, { transport: through({ list: () => ({ body: old }) }) });
  await stack.refresh();
  expect((await stack.up({ b: cachingInputs("b", "B") })).steps).toMatchObject({ b: "failed" });
  expect(posts(emulator.requests)).toBe(1);
});

test.each([1, -1])("An adoption does not call a job missing that the list shows (404s: %s)", async (times) => {
  const { stack, emulator } = await fastStack();
  const { id } = emulator.addJob(queryBody({ query: "select 1" }));
  emulator.inject({ kind: "reply", on: "get", status: 404, times });
  const more = { intervalValue: 9, existingJobId: id };
  const { steps, text } = await stack.up({ report: queryInputs("report", { query: "select 1" }, more) });
  expect(steps).toEqual({ report: "failed" });
  expect(text).toContain("intervalValue: 1 at the service, 9 declared");
});

test("A refresh right after the creates asks once where a list tells a value in another form, and more than a reply did", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  await stack.up({ a: cachingInputs("a", "A"), b: cachingInputs("b", "B") });
  const list: Edit = ({ body }) => ({
    body: body.replaceAll('"autoTruncateStrings":"false"', '"autoTruncateStrings":"False","sourceConnectionName":"X"'),
  });
  use({}, emulator, { transport: through({ list }) });
  const [began, sent] = [clock.now(), emulator.requests.length];
  await stack.refresh();
  expect(clock.now() - began).toBeLessThan(9000);
  const calls = emulator.requests.slice(sent).map(({ operation }) => operation);
  expect(calls).toEqual(["list", "connections"]);
});
