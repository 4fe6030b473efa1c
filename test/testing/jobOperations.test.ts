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
async function withJob(options?: Parameters<typeof start>[0], id?: string) {
  const emulator = await start(options);
  return { emulator, job: emulator.addJob(JOB, { id }) };
}

describe("every operation", () => {
  test("list and get show the jobs as they are, with their type", async () => {
    const emulator = await start();
    expect(json(await call(emulator, "GET", JOBS))).toEqual({ jobs: [] });
    await create(emulator);
    await create(emulator, { ...JOB, jobType: "ScheduledQuery", params: { name: "nightly" } });
    const records = emulator.jobs.map((job) => ({ ...job, body: undefined }));
    expect(records.map(({ jobType, name }) => [jobType, name])).toEqual([
      ["Caching", "ORDERS"],
      ["ScheduledQuery", "nightly"],
    ]);
    const all = await call(emulator, "GET", JOBS);
    expect(all.headers["content-type"]).toMatch(/^application\/json/);
    expect(json(all)).toEqual({ jobs: records });
    for (const record of records)
      expect(json(await call(emulator, "GET", pathOf(record.id)))).toEqual({ jobs: [record] });
    expect(json(all)).not.toHaveProperty("jobs.0.body");
  });

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

  test("delete answers 200 without a body, and the job is gone", async () => {
    const { emulator, job } = await withJob();
    const kept = emulator.addJob(OTHER);
    const reply = await call(emulator, "DELETE", pathOf(job.id, "/delete"));
    expect({ status: reply.status, body: reply.body.toString() }).toEqual({ status: 200, body: "" });
    expect(emulator.jobs).toEqual([kept]);
    expect((await call(emulator, "GET", pathOf(job.id))).status).toBe(404);
  });

  test.each(["a/b", "ü ?#%", "list"])("the id %j is read from its path segment", async (id) => {
    const { emulator } = await withJob({}, id);
    expect((await call(emulator, "PUT", pathOf(id, "/update"), OTHER)).status).toBe(200);
    expect(emulator.jobs).toMatchObject([{ id, intervalValue: 9 }]);
  });

  test("a segment that is no percent-encoding is no path", async () => {
    expect((await call(await start(), "GET", "/api/job/%zz")).status).toBe(404);
  });

  test("1,000 jobs are one reply", async () => {
    const emulator = await start();
    for (let index = 0; index < 1000; index += 1) emulator.addJob(JOB);
    expect(json(await call(emulator, "GET", JOBS))).toHaveProperty("jobs.length", 1000);
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

  test.each<[string, unknown]>([
    ["the body", "{"],
    ["intervalValue", { ...OTHER, intervalValue: 1.5 }],
    ["params.sourceTable", { ...OTHER, params: { ...PARAMS, sourceTable: undefined } }],
    ["jobType", { ...OTHER, jobType: "ScheduledQuery" }],
  ])("an update with a bad %s, with its name", async (member, body) => {
    const { emulator, job } = await withJob();
    const reply = await call(emulator, "PUT", pathOf(job.id, "/update"), body);
    expect(reply.status).toBe(400);
    expect(json(reply)).toEqual({
      error: { code: "INVALID_REQUEST", message: expect.stringMatching(`^${member}: `) as unknown },
    });
    expect(emulator.jobs).toEqual([job]);
  });
});
