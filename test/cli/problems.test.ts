import { z } from "zod";
import { hidesSource } from "../../provider/src/cli/duplicates.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { matching } from "../support/matchers.js";
import { allOperations, askService, CliFolder, configuredProject } from "./cliProcess.js";
import {
  caching,
  declaredBody,
  declares,
  encrypted,
  exported,
  originAt,
  resource,
  startWith,
  unconfirmed,
} from "./exportedState.js";

afterEach(stopAll);

const future = { nextRunTime: "2999-01-01T00:00:00Z" };
const healthy = (ids: Readonly<Record<string, object>>) => startWith(ids, future);
const documentSchema = z.object({
  jobs: z.array(
    z.object({
      jobId: z.string().nullable(),
      problem: z.string().nullable(),
      problems: z.array(z.string()),
      otherJobIds: z.array(z.string()),
      otherUrns: z.array(z.string()).nullable(),
    }),
  ),
});
const rowsIn = (stdout: string) => documentSchema.parse(JSON.parse(stdout)).jobs;
const saysIn = (stdout: string) =>
  rowsIn(stdout).map(({ jobId, problems, otherJobIds }) =>
    [jobId, problems.join("+"), ...otherJobIds].filter((word) => word !== "").join(" "),
  );

/** Asks with the project's only stack, as `--all` does. */
const askAll = (of: TestServer, resources: unknown[], args: readonly string[] = []) => {
  const project = configuredProject(allOperations, exported(resources));
  project.write("ls.json", JSON.stringify([{ name: "dev" }]));
  const cli = `#!/bin/sh
cd "$(dirname "$0")/.."
case "$1 $2" in "stack ls") cat ls.json ;; *) cat "$1.json" ;; esac
`;
  project.write("bin/pulumi", cli);
  return project.run(["jobs", "--at-service", "--all", ...args], settingsFor(of));
};

describe("two jobs of one source", () => {
  const doubled = () =>
    healthy({ "job-1": caching("A"), "job-2": caching("B"), "job-3": caching("a"), "job-4": caching("C") });

  test("stand together, name each other, and ring with --check, without an export", async () => {
    const of = await doubled();
    const { exitCode, stdout } = await askService(of, { args: ["--json"] });
    expect(exitCode).toBe(0);
    expect(saysIn(stdout)).toEqual(["job-1 duplicate job-3", "job-3 duplicate job-1", "job-2", "job-4"]);
    expect(rowsIn(stdout).map(({ problem }) => problem)).toEqual(["duplicate", "duplicate", null, null]);
    const check = await askService(of, { args: ["--check"] });
    expect(check.exitCode).toBe(1);
    expect(check.lines.map((line) => line.split(" | ").slice(0, 2).join(" | "))).toEqual([
      "PROBLEM | JOB ID",
      "duplicate of job-3 | job-1",
      "duplicate of job-1 | job-3",
      "2 jobs have a problem.",
      "4 jobs",
      "",
    ]);
    expect((await askService(of, { args: ["--failed"] })).exitCode).toBe(0);
    expect((await askService(of, { args: ["--check", "--ignore", "duplicate"] })).exitCode).toBe(0);
  });

  test("are told from jobs of two accounts with equal sources", async () => {
    const of = await start({ tokens: { one: "acme", two: "globex" } });
    of.addJob(caching("A"), { id: "job-1", account: "acme", ...future });
    of.addJob(caching("A"), { id: "job-2", account: "globex", ...future });
    const accounts = { eu: { baseUrl: of.baseUrl, credentialsCommand: "echo two" } };
    const config = { ...allOperations, "data-connectivity:accounts": JSON.stringify(accounts) };
    const env = { DATA_CONNECTIVITY_BASE_URL: of.baseUrl, DATA_CONNECTIVITY_TOKEN: "one" };
    const { exitCode, stdout } = await askService(of, { args: ["--json"], config, env });
    expect({ exitCode, rows: saysIn(stdout) }).toEqual({ exitCode: 0, rows: ["job-1", "job-2"] });
  });

  test("are found by the stack's declaration if the list is of summaries; without it, that is not known", async () => {
    const of = await healthy({ "job-1": caching("A"), "job-2": caching("A"), "job-3": caching("A") });
    of.inject({ kind: "edited", on: "list", times: -1, edit: "withoutParams" });
    const origin = originAt(of.baseUrl);
    const stack = exported([
      resource("a", { id: "job-1", origin, ...declares("A") }),
      resource("b", { id: "job-2", origin, ...declares("A") }),
    ]);
    const { stdout } = await askService(of, { args: ["--json"], stack });
    expect(saysIn(stdout)).toEqual(["job-1 duplicate job-2", "job-2 duplicate job-1", "job-3 unknown"]);
  });
});

test("a job in two stacks is a duplicate that names both, also where its account is not asked", async () => {
  const of = await healthy({ "job-1": caching("A") });
  const both = (baseUrl: string) => [
    resource("a", { id: "job-1", origin: originAt(baseUrl) }),
    resource("b", { id: "job-1", origin: originAt(baseUrl) }),
  ];
  const { stdout } = await askService(of, { args: ["--json"], stack: exported(both(of.baseUrl)) });
  expect(rowsIn(stdout)).toMatchObject([{ problem: "duplicate", otherUrns: [matching(/::b$/)] }]);
  const { exitCode, lines } = await askService(of, {
    args: ["--check"],
    config: {},
    stack: exported(both("https://other.example.com")),
  });
  expect(exitCode).toBe(1);
  expect(lines.filter((line) => line.startsWith("duplicate"))).toHaveLength(2);
});

test("a job that no stack has is an orphan, only where all stacks were read and their jobs are known", async () => {
  const of = await healthy({ "job-1": declaredBody("ORDERS"), "job-2": caching("B") });
  const origin = originAt(of.baseUrl);
  const known = resource("orders", { origin });
  const args = ["--json"];
  expect(saysIn((await askService(of, { args, stack: exported([known]) })).stdout)).toEqual(["job-1", "job-2"]);
  expect(saysIn((await askAll(of, [known], args)).stdout)).toEqual(["job-1", "job-2 orphan"]);
  expect((await askAll(of, [known], ["--check"])).exitCode).toBe(1);
  expect(await askAll(of, [known], ["--check", "--ignore", "orphan"])).toMatchObject({
    exitCode: 0,
    stdout: matching(/^No problem found\.\n/),
  });
  // An unconfirmed create whose source is secret may have made it.
  const late = unconfirmed("late", { inputs: { params: encrypted }, origin: originAt(of.baseUrl, "unconfirmed") });
  const { stdout } = await askAll(of, [known, late], args);
  expect(JSON.parse(stdout)).toMatchObject({ incompleteJobs: [{ problem: null }, { problem: null }, {}] });
  // The stack has the job under another address.
  const moved = resource("b", { id: "job-2", origin: originAt("https://old.example.com"), ...declares("B") });
  expect((await askAll(of, [known, moved], args)).stdout).not.toContain("orphan");
});

test("--check rings for everything, and a job has its most urgent problem first", async () => {
  const of = await start();
  const ran = { lastRun: { dateTime: "2026-01-01T00:00:00Z", status: "FAILED" }, ...future };
  of.addJob(caching("A"), { ...ran, id: "job-1" });
  of.addJob(caching("A"), { ...future, id: "job-2" });
  of.addJob(declaredBody("LATE"), { ...future, id: "job-3" });
  of.addJob(caching("B"), { id: "job-4", nextRunTime: "0001-01-01T00:00:00Z" });
  const origin = originAt(of.baseUrl);
  const resources = [
    resource("a", { id: "job-1", origin }),
    resource("b", { id: "job-4", origin, ...declares("B") }),
    resource("gone", { id: "job-9", origin, ...declares("GONE") }),
    unconfirmed("late", { ...declares("LATE"), origin: originAt(of.baseUrl, "unconfirmed") }),
  ];
  const { exitCode, stdout } = await askAll(of, resources, ["--check", "--json"]);
  expect(exitCode).toBe(1);
  expect(saysIn(stdout)).toEqual([
    "job-1 failed+duplicate job-2",
    "job-2 duplicate+orphan job-1",
    "job-3 unconfirmed",
    "job-4 unknown",
    "job-9 missing",
  ]);
  const night = await askAll(of, resources, ["--failed", "--json"]);
  expect(saysIn(night.stdout)).toEqual(["job-1 failed job-2", "job-9 missing"]);
});

test("a printed command can be pasted, whatever a resource is called", async () => {
  const shared = ["a", "customer's orders"].map((name) => resource(name, { id: "job-1", ...declares("A") }));
  const { stdout } = await new CliFolder().pipe(exported(shared), ["jobs"]);
  expect(stdout).toContain(String.raw`::customer'\''s orders' --stack dev`);
});

describe("jobs --check without a service", () => {
  const two = (more: object = {}) => [
    resource("a", { id: "job-1", ...declares("A") }),
    resource("b", { id: "job-2", ...declares("a"), ...more }),
  ];
  const check = (resources: unknown[]) => new CliFolder().pipe(exported(resources), ["jobs", "--check"]);

  test("rings for two resources that have a job each for one source", async () => {
    const { exitCode, stdout } = await check(two());
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'CachingJob "a" in the stack dev (job job-1) and CachingJob "b" in the stack dev (job job-2) have one source in the states. See first whether the service has both',
    );
    expect(stdout).toMatch(/^ +pulumi state delete --force --yes 'urn:\S+::b' --stack dev$/m);
    const { stdout: json } = await new CliFolder().pipe(exported(two()), ["jobs", "--json"]);
    expect(JSON.parse(json)).toMatchObject({
      sharedSources: [{ jobIds: ["job-1", "job-2"], urns: [matching(/::a$/), matching(/::b$/)] }],
    });
  });

  test.each([
    ["at another address", { origin: originAt("https://other.example.com") }],
    ["of another subject", { origin: { ...originAt(), subject: "other" } }],
    ["with a secret source", { inputs: { params: encrypted } }],
  ])("does not for one %s", async (_, more) => {
    const [first] = two();
    const known = { ...first, outputs: { ...first?.outputs, origin: { ...originAt(), subject: "own" } } };
    expect((await check([known, two(more)[1]])).exitCode).toBe(0);
  });
});

test("only a job of a known kind, or of none, can be one of a source that is not reported", () => {
  const hides = (jobType?: string) =>
    hidesSource({
      record: { job: { id: "job-1" }, ...(jobType !== undefined && { jobType }), unreadable: [] },
      owners: [],
    });
  expect([hides(), hides("Caching"), hides("Replication")]).toEqual([true, true, false]);
});

test("A job is a resource's by its id as the service writes it: a UUID in any form, another id letter by letter", async () => {
  const id = "48c68962-a49f-4ed7-8947-2dc8fa4786e4";
  const of = await healthy({ [`{${id.toUpperCase()}}`]: declaredBody("A"), "Job-2": declaredBody("B") });
  of.addJob(declaredBody("C"), { ...future, id: "job-2" });
  const origin = originAt(of.baseUrl);
  const stack = [
    resource("a", { id, origin, ...declares("A") }),
    resource("b", { id: "job-2", origin, ...declares("C") }),
  ];
  const { stdout } = await askAll(of, stack, ["--json"]);
  expect(saysIn(stdout)).toEqual([`{${id.toUpperCase()}}`, "Job-2 orphan", "job-2"]);
});
