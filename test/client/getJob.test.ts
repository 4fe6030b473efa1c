import { getJob } from "../../provider/src/client/getJob.js";
import type { TestFault } from "../../provider/src/testing/emulator/index.js";
import { ambiguities, clientOf, nameOf, nonsense, refusals } from "../support/all/clientFaults.js";
import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";

afterAll(stopAll);

test.each(["wrapped", "bare"] as const)("finds a job in a %s reply", async (jobReplies) => {
  const emulator = await start({ jobReplies });
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  expect(await getJob(clientOf(emulator), id)).toMatchObject({
    kind: "found",
    record: { job: { id }, jobType: "Caching" },
  });
});

test.each(["404", "null"] as const)("finds out that there is no such job (%s)", async (missingJob) => {
  const emulator = await start({ missingJob });
  expect(await getJob(clientOf(emulator), "none")).toEqual({ kind: "missing" });
});

test.each(["", ".", "..", "\ud800"])("asks for no job by the id %j", async (id) => {
  const emulator = await start();
  expect(await getJob(clientOf(emulator), id)).toMatchObject({ kind: "failed" });
  expect(emulator.requests).toEqual([]);
});

test.each(["a/b", "../list", "%2e%2e", "a b?c#d", "ü"])("asks by the id %j for that job alone", async (id) => {
  const emulator = await start();
  emulator.addJob(cachingBody("ORDERS"), { id });
  expect(await getJob(clientOf(emulator), id)).toMatchObject({ kind: "found", record: { job: { id } } });
});

const another: TestFault = { kind: "reply", status: 200, body: { jobs: [{ ...cachingBody("OTHER"), id: "other" }] } };
const faults = [...refusals, ...ambiguities, ...nonsense, another, { kind: "reply", status: 204 } as const];

test.concurrent.each(faults.map((fault) => [nameOf(fault), fault] as const))(
  "concludes nothing, and shows no token: %s",
  async (_name, fault) => {
    const emulator = await start({ faults: [{ ...fault, on: "get" }] });
    const { id } = emulator.addJob(cachingBody("ORDERS"));
    const found = await getJob(clientOf(emulator), id);
    expect(found).toMatchObject({ kind: "failed" });
    expect(JSON.stringify(found)).not.toContain(emulator.token);
  },
);
