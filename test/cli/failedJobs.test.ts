import { z } from "zod";
import type { JobChanges } from "../../provider/src/testing/emulator/types.js";
import { JOBS, settingsFor, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { matching } from "../support/matchers.js";
import { allOperations, askService, configOf, configuredProject } from "./cliProcess.js";
import { caching, exported, originAt, resource } from "./exportedState.js";

afterEach(stopAll);

const pathsOf = (requests: readonly { path: string }[]) => requests.map(({ path }) => path);

describe("--failed", () => {
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
  const ran = (status: string | null, ago = 2) => ({
    lastRun: { dateTime: hours(-ago), status },
    nextRunTime: hours(1),
  });
  const service = async (jobs: Readonly<Record<string, JobChanges>>) => {
    const started = await start();
    for (const [id, changes] of Object.entries(jobs)) started.addJob(caching(id), { ...changes, id });
    return started;
  };
  const problemsOf = async (of: TestServer, args: readonly string[] = [], stack?: string) => {
    const given = { args: ["--failed", "--json", ...args], ...(stack !== undefined && { stack }) };
    const { exitCode, stdout } = await askService(of, given);
    const { jobs } = z
      .object({ jobs: z.array(z.object({ jobId: z.string(), problem: z.string() })) })
      .parse(JSON.parse(stdout));
    return { exitCode, found: jobs.map(({ jobId, problem }) => `${jobId} ${problem}`) };
  };

  test("names each run that has ended with a status that is not known to be good", async () => {
    const good = Object.fromEntries(
      ["JOB_SUCCESS", "Succeeded", "NoChange", "JOB_QUEUED", "Running"].map((status) => [status, ran(status)]),
    );
    const bad = { failed: ran("JOB_FAILED"), strange: ran("SUCCESS_NOT"), none: ran(null) };
    const of = await service({ ...good, never: { nextRunTime: hours(1) }, ...bad });
    expect(await problemsOf(of)).toEqual({ exitCode: 1, found: ["failed failed", "strange failed", "none failed"] });
    expect(await problemsOf(of, ["--good", "job_failed", "--good", "SUCCESS"])).toEqual({
      exitCode: 1,
      found: ["Succeeded failed", "NoChange failed", "strange failed", "none failed"],
    });
    expect(pathsOf(of.requests)).toEqual([JOBS, JOBS]);
  });

  test("counts a failed run whose time cannot be read", async () => {
    const unreadable = { lastRun: { dateTime: 1795766580 as never, status: "JOB_FAILED" }, nextRunTime: hours(1) };
    const going = { lastRun: { dateTime: 1795766580 as never, status: "JOB_RUNNING" }, nextRunTime: hours(1) };
    const of = await service({ unreadable, going });
    expect(await problemsOf(of, ["--since", "24h"])).toEqual({ exitCode: 1, found: ["unreadable failed"] });
  });

  test("does not say that there is no problem where the next run is not known", async () => {
    const of = await service({ never: { nextRunTime: "0001-01-01T00:00:00Z" } });
    const { stdout } = await askService(of, { args: ["--failed"] });
    expect(stdout).toContain(
      "No problem found, but whether 1 job should have run is not known, as standard error says.",
    );
  });

  test("--since leaves out the failures before it", async () => {
    const of = await service({ new: ran("FAILED", 2), old: ran("FAILED", 50) });
    const date = hours(-49).slice(0, 10);
    const found = { "3h": ["new failed"], "1h": [], "7d": ["new failed", "old failed"], [hours(-3)]: ["new failed"] };
    for (const [since, names] of Object.entries(found))
      expect(await problemsOf(of, ["--since", since])).toEqual({ exitCode: names.length > 0 ? 1 : 0, found: names });
    expect((await problemsOf(of, ["--since", date])).found).toContain("new failed");
  });

  test("names each enabled job whose next run is more than one interval in the past", async () => {
    const due = (ago: number, changes: JobChanges = {}) => ({ nextRunTime: hours(-ago), ...changes });
    const of = await service({
      late: due(5),
      soon: due(3),
      off: due(500, { enabled: false }),
      daily: due(5, { intervalUnit: "Day", intervalValue: 1 }),
      monthly: due(24 * 60, { intervalUnit: "Month", intervalValue: 1 }),
      byHand: due(50, { lastRun: { dateTime: hours(-1), status: "JOB_QUEUED" } }),
    });
    expect(await problemsOf(of, ["--since", "1h"])).toEqual({
      exitCode: 1,
      found: ["late overdue", "monthly overdue"],
    });
  });

  test("says of which jobs it is not known whether they should have run", async () => {
    const of = await service({ odd: { intervalUnit: "Fortnight" } });
    const { exitCode, stderr } = await askService(of, { args: ["--failed"] });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^Whether they should have run is not known of 1 job, .*: odd\n$/);
  });

  test("names a job that the stack has and the service has not, and prints what it found", async () => {
    const of = await service({ fine: ran("SUCCESS"), bad: ran("FAILED") });
    const stack = exported([resource("gone", { id: "job-2", origin: originAt(of.baseUrl) })]);
    expect(await problemsOf(of, [], stack)).toEqual({ exitCode: 1, found: ["bad failed", "job-2 missing"] });
    const { lines } = await askService(of, { args: ["--failed"], stack });
    expect(lines.map((line) => line.split(" | ").slice(0, 2).join(" | "))).toEqual([
      "PROBLEM | JOB ID",
      "failed | bad",
      "not in the list | job-2",
      "2 jobs have a problem.",
      "2 jobs, 2 of them not in the stack, 1 more in the stack and not in the list of the service",
      "",
    ]);
  });

  test("finds nothing, and claims nothing of lists that are missing", async () => {
    const of = await service({ fine: ran("SUCCESS") });
    expect(await askService(of, { args: ["--failed"] })).toMatchObject({
      exitCode: 0,
      stdout:
        "No problem found in the list. No stack was read, so a job that a stack has and the service lacks was not looked for: add --all.\n1 job\n",
    });
    expect(await askService(of, { args: ["--failed"], stack: exported([]) })).toMatchObject({
      exitCode: 0,
      stdout: matching(/^No problem found\.\n/),
    });
    const config = { ...allOperations, ...configOf({ eu: { baseUrl: of.baseUrl, credentialsCommand: "echo wrong" } }) };
    expect(await askService(of, { args: ["--failed"], config })).toMatchObject({
      exitCode: 1,
      stdout:
        "No problem found in the lists that were read.\n1 job\nIncomplete: 1 list is missing (Account eu), as standard error says.\n",
    });
  });

  test("a run by hand is no problem, unless it ends badly", async () => {
    const of = await start({ runs: { BAD: { status: "JOB_FAILED" } } });
    for (const table of ["GOOD", "BAD"]) of.addJob(caching(table), { id: table });
    for (const id of ["GOOD", "BAD"])
      expect(await configuredProject(allOperations).run(["run", id], settingsFor(of))).toMatchObject({ exitCode: 0 });
    expect(await problemsOf(of)).toEqual({ exitCode: 1, found: ["BAD failed"] });
  });
});
