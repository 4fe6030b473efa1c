import { JOB, JOBS, PARAMS, call, json, pathOf, start, stopAll } from "../support/emulated.js";

afterEach(stopAll);

test("addJob adds a job that no request made, with what is given for it", async () => {
  const emulator = await start();
  const job = emulator.addJob(JOB, { id: "4711", created: "2020-01-01T00:00:00Z", lastRun: { status: "Running" } });
  expect(job).toMatchObject({
    id: "4711",
    name: "ORDERS",
    created: "2020-01-01T00:00:00Z",
    lastRun: { status: "Running", rowsAffected: 0 },
    body: JOB,
  });
  expect(emulator.jobs).toEqual([job]);
  expect(emulator.requests).toEqual([]);
  expect(json(await call(emulator, "GET", pathOf("4711")))).toEqual({ jobs: [{ ...job, body: undefined }] });
});

test("addJob refuses what a create would refuse, and an id that is taken", async () => {
  const emulator = await start();
  expect(() => emulator.addJob({ ...JOB, logVerbosity: 6 })).toThrow(
    "The emulator cannot add this job: logVerbosity: must be from 1 to 5",
  );
  emulator.addJob(JOB, { id: "1" });
  expect(() => emulator.addJob(JOB, { id: "1" })).toThrow('The emulator already has a job "1".');
  expect(emulator.jobs).toHaveLength(1);
});

test("changeJob changes the given members and lastModified, and who holds the old job keeps it as it was", async () => {
  const emulator = await start();
  const [before, other] = [emulator.addJob(JOB), emulator.addJob(JOB)];
  const after = emulator.changeJob(before.id, {
    intervalValue: 9,
    params: { sourceTable: "T" },
    lastRun: { status: null },
  });
  expect(after).toEqual({
    ...before,
    intervalValue: 9,
    params: { ...before.params, sourceTable: "T" },
    lastRun: { ...before.lastRun, status: null },
    lastModified: after.lastModified,
  });
  expect(after.lastModified.localeCompare(other.lastModified)).toBe(1);
  expect(before).toMatchObject({ intervalValue: 4, params: PARAMS });
  expect(emulator.jobs).toEqual([after, other]);
  expect(json(await call(emulator, "GET", JOBS))).toMatchObject({ jobs: [{ intervalValue: 9 }, { intervalValue: 4 }] });
});

test("a member of params can be removed, and lastModified be given", async () => {
  const emulator = await start();
  const { id } = emulator.addJob(JOB);
  emulator.changeJob(id, { params: { sourceSchema: undefined }, lastModified: "2020-01-01T00:00:00Z" });
  const reply = json(await call(emulator, "GET", pathOf(id)));
  expect(reply).toMatchObject({ jobs: [{ lastModified: "2020-01-01T00:00:00Z" }] });
  expect(reply).not.toHaveProperty("jobs.0.params.sourceSchema");
});

test("removeJob removes one job", async () => {
  const emulator = await start();
  const [first, second] = [emulator.addJob(JOB), emulator.addJob(JOB)];
  emulator.removeJob(first.id);
  expect(emulator.jobs).toEqual([second]);
  expect((await call(emulator, "GET", pathOf(first.id))).status).toBe(404);
});

test("a job that does not exist can be neither changed nor removed", async () => {
  const emulator = await start();
  expect(() => emulator.changeJob("a", {})).toThrow('The emulator has no job "a".');
  expect(() => {
    emulator.removeJob("a");
  }).toThrow('The emulator has no job "a".');
});
