import { JOB, JOBS, LIST, start, stopAll } from "../support/emulated.js";
import { configuredProject, pathOf } from "./configuredProject.js";
import { examine, settingsFor } from "./doctorHelper.js";

afterEach(stopAll);

async function examineWith(config: Readonly<Record<string, string>>, service: { baseUrl: string; token: string }) {
  const project = configuredProject(config);
  const examined = await examine(project, { PATH: pathOf(project), ...settingsFor(service) });
  project.dispose();
  return examined;
}

const all = { "data-connectivity:jobOperations": "all" };

test("with jobOperations: all the list of jobs is checked too, and the default of protect is shown for it", async () => {
  const emulator = await start();
  emulator.addJob(JOB);
  const { exitCode, lines } = await examineWith(all, emulator);
  expect(exitCode).toBe(0);
  expect(lines).toContain("jobOperations all data-connectivity:jobOperations");
  expect(lines).toContain("protect false (default)");
  const list = lines.indexOf("ok list the service answers with 12 data sources");
  expect(lines[list + 1]).toBe("ok jobs the service answers with 1 job");
  expect(emulator.requests.map(({ path }) => path)).toEqual([LIST, JOBS]);
});

test("a service that does not list its jobs fails that step, after the others", async () => {
  const emulator = await start({ jobOperations: "create" });
  const { exitCode, lines } = await examineWith(all, emulator);
  expect(exitCode).toBe(1);
  expect(lines).toContain("ok list the service answers with 12 data sources");
  expect(lines).toContainEqual(expect.stringMatching(/^FAILED jobs GET \/api\/job\/list failed with HTTP 404/));
});

test("the list of jobs is not checked where the token fails, and says so", async () => {
  const { baseUrl } = await start();
  const { lines } = await examineWith(all, { baseUrl, token: "" });
  expect(lines).toContain("- list not checked: needs what failed above");
  expect(lines).toContain("- jobs not checked: needs what failed above");
});

test("an account of its own mode is asked as it says: of two only one lists its jobs", async () => {
  const emulator = await start();
  const accounts = { eu: { credentialsCommand: `echo ${emulator.token}`, jobOperations: "all" } };
  const { exitCode, lines } = await examineWith({ "data-connectivity:accounts": JSON.stringify(accounts) }, emulator);
  expect(exitCode).toBe(0);
  expect(lines.filter((line) => /^ok (list|jobs)|^(The unnamed a|A)ccount/.test(line))).toEqual([
    "The unnamed account",
    "ok list the service answers with 12 data sources",
    "Account eu",
    "ok list the service answers with 12 data sources",
    "ok jobs the service answers with 0 jobs",
  ]);
  expect(emulator.requests.filter(({ path }) => path === JOBS)).toHaveLength(1);
});
