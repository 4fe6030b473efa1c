import { JOB, JOBS, PARAMS, call, create, json, pathOf, start, stopAll } from "../support/emulated.js";

afterEach(stopAll);

const OTHER = {
  ...JOB,
  intervalUnit: "Day",
  intervalValue: "9",
  logVerbosity: 5,
  params: { ...PARAMS, sourceTable: "T" },
};

/** An emulator with one job, and that job. */
async function withJob() {
  const emulator = await start();
  return { emulator, job: emulator.addJob(JOB) };
}

describe("every operation", () => {
  test("update replaces the whole job, and keeps what no body declares", async () => {
    const emulator = await start();
    await create(emulator, { ...JOB, enabled: false, definedNextRun: "2030-01-01T00:00:00Z" });
    const [before] = emulator.jobs;
    const reply = await call(emulator, "PUT", pathOf(before?.id ?? "", "/update"), OTHER);
    expect(reply.status).toBe(200);
    const record = {
      id: before?.id,
      name: "T",
      enabled: true,
      created: before?.created,
      lastModified: emulator.jobs[0]?.lastModified,
      nextRunTime: "2030-01-01T00:00:00Z",
      intervalUnit: "Day",
      intervalValue: 9,
      logVerbosity: 5,
      lastRun: before?.lastRun,
      params: { ...OTHER.params, sourceConnectionName: "Snowflake1" },
    };
    expect(json(reply)).toEqual({ jobs: [record] });
    expect(emulator.jobs).toEqual([{ ...record, jobType: "Caching", body: OTHER }]);
    expect(record.lastModified?.localeCompare(before?.lastModified ?? "")).toBe(1);
  });

  test("update with definedNextRun moves the next run, and no reply has that member", async () => {
    const { emulator, job } = await withJob();
    const definedNextRun = "2031-02-03T04:05:06Z";
    const reply = json(await call(emulator, "PUT", pathOf(job.id, "/update"), { ...JOB, definedNextRun }));
    expect(reply).toMatchObject({ jobs: [{ nextRunTime: definedNextRun }] });
    expect(reply).not.toHaveProperty("jobs.0.definedNextRun");
  });
});

describe("what is refused", () => {
  const ofOneJob = [
    ["GET", ""],
    ["PUT", "/update"],
    ["DELETE", "/delete"],
  ] as const;

  test.each(ofOneJob)("%s …%s of a job that does not exist", async (method, action) => {
    const { emulator, job } = await withJob();
    const reply = await call(emulator, method, pathOf("other", action), method === "PUT" ? OTHER : undefined);
    expect(reply.status).toBe(404);
    expect(json(reply)).toHaveProperty("error.code", "NOT_FOUND");
    expect(emulator.requests).toMatchObject([{ job: undefined, status: 404 }]);
    expect(emulator.jobs).toEqual([job]);
  });

  test("an update to another kind of job", async () => {
    const { emulator, job } = await withJob();
    const reply = await call(emulator, "PUT", pathOf(job.id, "/update"), { ...OTHER, jobType: "ScheduledQuery" });
    expect(reply.status).toBe(400);
    expect(json(reply)).toEqual({
      error: { code: "INVALID_REQUEST", message: "jobType: must be Caching, as the job was made" },
    });
    expect(emulator.jobs).toEqual([job]);
  });
});

describe("changes behind the stack", () => {
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
    const given = { lastModified: "2020-01-01T00:00:00Z" };
    expect(emulator.changeJob(other.id, given)).toMatchObject(given);
    expect(json(await call(emulator, "GET", JOBS))).toMatchObject({
      jobs: [{ intervalValue: 9 }, { intervalValue: 4 }],
    });
  });

  test("a job that does not exist can be neither changed nor removed", async () => {
    const emulator = await start();
    expect(() => emulator.changeJob("a", {})).toThrow('The emulator has no job "a".');
    expect(() => {
      emulator.removeJob("a");
    }).toThrow('The emulator has no job "a".');
  });
});
