import { getJob } from "../../provider/src/client/jobCalls.js";
import { ambiguities, clientOf, nameOf, noJob, nonsense, refusals } from "../support/all/clientFaults.js";
import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";

afterAll(stopAll);

test.each(["wrapped", "bare"])("finds a job in a %s reply", async (form) => {
  const emulator = await start();
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  if (form === "bare") emulator.inject({ kind: "reply", status: 200, body: { ...cachingBody("ORDERS"), id } });
  expect(await getJob(clientOf(emulator), id)).toMatchObject({
    kind: "found",
    record: { job: { id }, jobType: "Caching" },
  });
});

test.each([[], [noJob]])("finds out that there is no such job %j", async (...faults) => {
  expect(await getJob(clientOf(await start({ faults })), "none")).toEqual({ kind: "missing" });
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
