import { cachingJob } from "../../provider/src/jobs/index.js";
import { modes } from "../../provider/src/config/index.js";
import { createJob, deleteJob, getJob, updateJob, listJobs } from "../../provider/src/client/requests.js";
import type { AccountClient } from "../../provider/src/client/accountClient.js";
import type { Json } from "../../provider/src/json.js";
import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestFault, TestServer } from "../support/emulator/index.js";
import { FastClock } from "../support/fastClock.js";
import { clientAt, sending, TOKEN } from "../support/testService.js";

afterAll(stopAll);
afterEach(() => jest.restoreAllMocks());

const orders = cachingBody("ORDERS");
const customers = cachingBody("CUSTOMERS");
const changed = cachingBody("ORDERS", { intervalValue: 6, enabled: true });
const ok = (body: Json): TestFault => ({ kind: "reply", status: 200, body });
const lost: TestFault = { kind: "reset", processed: true };

const clientOf = ({ baseUrl }: TestServer, timeoutSeconds = 2, clock = new FastClock()) =>
  clientAt(baseUrl, { timeoutSeconds, mode: modes.all }, { clock });

const operations = {
  list: (client: AccountClient) => listJobs(client),
  get: (client: AccountClient, id: string) => getJob(client, id),
  create: (client: AccountClient) =>
    createJob(client, { kind: cachingJob, declared: customers }, sending(customers), customers["params"]),
  update: (client: AccountClient, id: string) =>
    updateJob(client, id, {
      before: { kind: cachingJob, declared: orders },
      now: { kind: cachingJob, declared: changed },
      decide: sending(changed),
    }),
  delete: (client: AccountClient, id: string) => deleteJob(client, id),
};
type On = keyof typeof operations;

/** Calls the operation for the one job of a service that has these faults. */
async function call(on: On, ...faults: TestFault[]) {
  const emulator = await start({ token: TOKEN, faults: faults.map((fault) => ({ ...fault, on })) });
  const { id } = emulator.addJob(orders, { id: "1" });
  return { emulator, result: await operations[on](clientOf(emulator), id) };
}

/** test/client/proof shows which replies prove something. */
test.each<[On, string, object, TestFault]>([
  ["list", "jobs: []", { kind: "done", value: [] }, ok({ jobs: [] })],
  ["update", "a body without the job", { cause: "ambiguous", isAccepted: true }, ok({ jobs: null })],
  ["update", "HTTP 422", { kind: "failed", cause: "refused" }, { kind: "reply", status: 422 }],
  ["delete", "HTTP 204 without a body", { kind: "done", value: "deleted" }, { kind: "reply", status: 204 }],
  ["delete", "the job", { cause: "ambiguous", isAccepted: true }, ok({ jobs: [{ ...orders, id: "1" }] })],
  [
    "delete",
    "a lost reply, which was to its own request, and then 404",
    { kind: "failed", cause: "refused", says: ["own", "noJob"] },
    lost,
  ],
  ["get", "another job", { kind: "failed", cause: "ambiguous" }, ok({ jobs: [{ ...orders, id: "2" }] })],
  ["list", "an unreadable entry", { kind: "failed", cause: "ambiguous" }, ok({ jobs: [{ name: "no id" }] })],
])("%s where the reply is %s", async (on, _what, expected, fault) => {
  expect((await call(on, fault)).result).toMatchObject(expected);
});

test("update is repeated after an ambiguous answer: the body is the whole job", async () => {
  const { emulator, result } = await call("update", lost);
  expect(result).toMatchObject({ kind: "done" });
  expect(emulator.requests).toHaveLength(2);
});

test.each([400, 404])("update stays ambiguous where only the last of its tries was refused with %i", async (status) => {
  const { result } = await call("update", { kind: "reset" }, { kind: "reply", status });
  expect(result).toMatchObject({ kind: "failed", cause: "ambiguous" });
});

test.each<[On, TestFault[]]>([
  ["get", []],
  ["get", [ok({ jobs: null })]],
  ["delete", []],
  ["update", []],
])("%s finds out that there is no such job %j", async (on, faults) => {
  expect(await operations[on](clientOf(await start({ token: TOKEN, faults })), "none")).toMatchObject(
    on === "get" ? { kind: "done", value: "missing" } : { kind: "failed", cause: "refused", says: ["own", "noJob"] },
  );
});

test.each(["", ".", "..", "\ud800"])("get asks for no job by the id %j", async (id) => {
  const emulator = await start({ token: TOKEN });
  expect(await getJob(clientOf(emulator), id)).toMatchObject({ kind: "failed" });
  expect(emulator.requests).toEqual([]);
});

test.each(["a/b", "../list", "%2e%2e", "a b?c#d", "ü"])("get asks by the id %j for that job alone", async (id) => {
  const emulator = await start({ token: TOKEN });
  emulator.addJob(orders, { id });
  expect(await getJob(clientOf(emulator), id)).toMatchObject({ kind: "done", value: { job: { id } } });
});
