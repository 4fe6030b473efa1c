import { updateJob } from "../../provider/src/client/jobCalls.js";
import { clientOf, faultCases } from "../support/all/clientFaults.js";
import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";

afterAll(stopAll);

const body = cachingBody("ORDERS", { intervalValue: 6, enabled: true });

test.each(["wrapped", "bare"])("changes a job, with a %s reply", async (form) => {
  const emulator = await start();
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  if (form === "bare") emulator.inject({ kind: "reply", status: 200, body: { ...body, id }, processed: true });
  const result = await updateJob(clientOf(emulator), id, body);
  expect(result).toMatchObject({ kind: "updated", record: { job: { id, intervalValue: 6 } } });
});

test.each([204, 200])("is updated without a record where HTTP %d has no body", async (status) => {
  const emulator = await start({ faults: [{ kind: "reply", status, on: "update", body: "" }] });
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  expect(await updateJob(clientOf(emulator), id, body)).toEqual({ kind: "updated", record: undefined });
});

test("finds out that there is no such job", async () => {
  expect(await updateJob(clientOf(await start()), "none", body)).toEqual({ kind: "missing" });
});

test("is repeated after an ambiguous answer: the body is the whole job", async () => {
  const emulator = await start({ faults: [{ kind: "reset", on: "update", processed: true }] });
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  expect(await updateJob(clientOf(emulator), id, body)).toMatchObject({ kind: "updated" });
  expect(emulator.requests).toHaveLength(2);
});

test("stays ambiguous where only the last of its tries was refused", async () => {
  const faults = [{ kind: "reset", on: "update" } as const, { kind: "reply", status: 400, on: "update" } as const];
  const emulator = await start({ faults });
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  expect(await updateJob(clientOf(emulator), id, body)).toMatchObject({ kind: "ambiguous" });
});

test.concurrent.each(faultCases)("is %s, and shows no token: %s", async (kind, _name, fault) => {
  const emulator = await start({ faults: [{ ...fault, on: "update" }] });
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  const result = await updateJob(clientOf(emulator), id, body);
  expect(result).toMatchObject({ kind });
  expect(JSON.stringify(result)).not.toContain(emulator.token);
});
