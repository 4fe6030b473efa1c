import { deleteJob } from "../../provider/src/client/jobCalls.js";
import { clientOf, faultCases, noJob } from "../support/all/clientFaults.js";
import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";

afterAll(stopAll);

test("deletes a job", async () => {
  const emulator = await start();
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  expect(await deleteJob(clientOf(emulator), id)).toEqual({ kind: "deleted" });
  expect(emulator.jobs).toEqual([]);
});

test.each([
  ["no body", ""],
  ["the job", { jobs: [{ ...cachingBody("ORDERS"), id: "1" }] }],
])("has deleted it where the reply is %s", async (_what, body) => {
  const emulator = await start({ faults: [{ kind: "reply", status: 200, on: "delete", body }] });
  expect(await deleteJob(clientOf(emulator), "1")).toEqual({ kind: "deleted" });
});

test.each([[], [noJob]])("finds out that there is no such job %j", async (...faults) => {
  expect(await deleteJob(clientOf(await start({ faults })), "none")).toEqual({ kind: "missing" });
});

test("finds no job where a lost reply was to its own request", async () => {
  const emulator = await start({ faults: [{ kind: "reset", on: "delete", processed: true }] });
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  expect(await deleteJob(clientOf(emulator), id)).toEqual({ kind: "missing" });
});

test.concurrent.each(faultCases)("is %s, and shows no token: %s", async (kind, _name, fault) => {
  const emulator = await start({ faults: [{ ...fault, on: "delete" }] });
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  const result = await deleteJob(clientOf(emulator), id);
  expect(result).toMatchObject({ kind });
  expect(JSON.stringify(result)).not.toContain(emulator.token);
});
