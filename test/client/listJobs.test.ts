import { listJobs } from "../../provider/src/client/lists.js";
import { ambiguities, clientOf, nameOf, nonsense, refusals } from "../support/all/clientFaults.js";
import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";

afterAll(stopAll);

test("lists all jobs, with their types", async () => {
  const emulator = await start();
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  expect(await listJobs(clientOf(emulator))).toMatchObject({
    kind: "listed",
    jobs: [{ job: { id }, jobType: "Caching" }],
  });
});

test.each([null, []])("%j is a list without jobs", async (jobs) => {
  const emulator = await start({ faults: [{ kind: "reply", status: 200, on: "list", body: { jobs } }] });
  expect(await listJobs(clientOf(emulator))).toEqual({ kind: "listed", jobs: [] });
});

test("a job that cannot be read is no missing job: the list fails", async () => {
  const body = { jobs: [{ ...cachingBody("ORDERS"), id: "1" }, { name: "no id" }] };
  const emulator = await start({ faults: [{ kind: "reply", status: 200, on: "list", body }] });
  expect(await listJobs(clientOf(emulator))).toMatchObject({ kind: "failed", cause: "unavailable", status: 200 });
});

const faults = [
  ...refusals,
  ...ambiguities,
  ...nonsense,
  { kind: "reply", status: 404 } as const,
  { kind: "reply", status: 204 } as const,
];

test.concurrent.each(faults.map((fault) => [nameOf(fault), fault] as const))(
  "fails, and shows no token: %s",
  async (_name, fault) => {
    const emulator = await start({ faults: [{ ...fault, on: "list" }] });
    emulator.addJob(cachingBody("ORDERS"));
    const list = await listJobs(clientOf(emulator));
    expect(list).toMatchObject({ kind: "failed" });
    expect(JSON.stringify(list)).not.toContain(emulator.token);
  },
);
