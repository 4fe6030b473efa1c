import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { membersOf } from "../../provider/src/json.js";
import { JOB, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { matching } from "../support/matchers.js";
import { allOperations, askService, CliFolder, configuredProject, ownSettings } from "./cliProcess.js";
import {
  caching,
  declaredBody,
  declares,
  encrypted,
  exported,
  originAt,
  params,
  prefixed,
  resource,
  stackOf,
  startWith,
  unconfirmed,
} from "./exportedState.js";

afterEach(stopAll);

/** A project whose CLI lists and exports these stacks, each with the configuration of its own service. */
const fileOf = (stack: string) => stack.replace("/", "-");

function projectOf(stacks: Readonly<Record<string, { readonly text: string; readonly service: TestServer }>>) {
  const project = configuredProject({});
  const names = Object.keys(stacks);
  project.write("ls.json", JSON.stringify(names.map((name) => ({ name }))));
  for (const [name, { text, service }] of Object.entries(stacks)) {
    const settings = { ...allOperations, ...prefixed(ownSettings(service)) };
    const values = Object.entries(settings).map(([key, value]) => [key, { value, secret: false }]);
    project.write(`config-${fileOf(name)}.json`, JSON.stringify(Object.fromEntries(values)));
    project.write(`export-${fileOf(name)}.json`, text);
  }
  const script = `#!/bin/sh
cd "$(dirname "$0")/.."
for word; do
  [ "$before" = --stack ] && stack=$(echo "$word" | tr / -)
  [ "$before" = --config-file ] && file=$word
  before=$word
done
case "$1 $2" in
  "stack ls") cat ls.json ;;
  "stack export") cat "export-$stack.json" ;;
  *) cat "\${file:-config-$stack.json}" ;;
esac
`;
  chmodSync(project.write("bin/pulumi", script), 0o755);
  return project;
}

const danger =
  'Job job-2 is in the state of CachingJob "items" in the stack acme and of CachingJob "items" in the stack globex. Each changes and deletes it for the others.';

describe("jobs of several stacks", () => {
  const acme = stackOf("acme", { orders: "job-1", items: "job-2" });
  const globex = stackOf("globex", { items: "JOB-2" });

  test.each([["by their files"], ["by a folder"], ["by --all"]])(
    "%s has a column for the stack, and names a job that is in two",
    async (how) => {
      const service = await start();
      const project = projectOf({ acme: { text: acme, service }, globex: { text: globex, service } });
      mkdirSync(join(project.path, "stacks"));
      project.write("stacks/acme.json", acme);
      project.write("stacks/globex.json", globex);
      const files = ["stacks/acme.json", "stacks/globex.json"];
      const args = { "by their files": files, "by a folder": ["stacks"], "by --all": ["--all"] }[how] ?? [];
      const { exitCode, lines } = await project.run(["jobs", ...args]);
      expect(exitCode).toBe(0);
      expect(lines.map((line) => line.split(" | ").slice(0, 3).join(" | "))).toEqual([
        "STACK | RESOURCE | JOB ID",
        "acme | items | job-2",
        "acme | orders | job-1",
        "globex | items | JOB-2",
        "3 jobs",
        "",
        expect.stringContaining(danger),
        'To keep CachingJob "items" in the stack acme:',
        matching("^pulumi state delete --force --yes '.*' --stack globex$"),
        "",
      ]);
      expect((await project.run(["jobs", ...args, "--check"])).exitCode).toBe(1);
      const { stdout } = await project.run(["jobs", ...args, "--json"]);
      const urn = (stack: string) => expect.stringMatching(`^urn:pulumi:${stack}::.*items$`) as unknown;
      expect(membersOf(JSON.parse(stdout))["sharedJobs"]).toEqual([
        { jobId: "job-2", urns: [urn("acme"), urn("globex")] },
      ]);
      expect(service.requests).toEqual([]);
    },
  );

  test("of one stack, given twice, are refused: each job would seem to be in two", async () => {
    const folder = new CliFolder();
    const files = ["a.json", "b.json"].map((name) => folder.write(name, acme));
    expect(await folder.run(["jobs", ...files])).toMatchObject({
      exitCode: 1,
      stderr: `${files.join(" and ")} are exports of one stack, acme of the project proj. Give each stack once.\n`,
    });
  });

  test("a folder without an export, and a project whose stacks cannot be listed, are said", async () => {
    const folder = new CliFolder();
    mkdirSync(join(folder.path, "none"));
    expect(await folder.run(["jobs", "none"])).toMatchObject({
      exitCode: 1,
      stderr: "The folder none has no file *.json.\n",
    });
    expect(await folder.run(["jobs", "--all"])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("There is no project in .: no Pulumi.yaml in this folder") as unknown,
    });
    folder.write("Pulumi.yaml", "name: p\nruntime: nodejs\n");
    expect(await folder.run(["jobs", "--all"], { PATH: folder.path })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /^The stacks of the project could not be exported: no pulumi CLI is on PATH\.\n/,
      ) as unknown,
    });
  });
});

test("A job is in no stack only if no stack's unconfirmed create was left unasked: its account may not list jobs", async () => {
  const service = await startWith({ "job-1": declaredBody("ORDERS"), "job-2": declaredBody("LATE") });
  const late = unconfirmed("late", { ...declares("LATE"), origin: originAt(service.baseUrl, "unconfirmed") });
  const project = projectOf({
    acme: { text: stackOf("acme", { orders: "job-1" }, service.baseUrl), service },
    globex: { text: exported([late]).replaceAll("urn:pulumi:dev::", "urn:pulumi:globex::"), service },
  });
  const settings = { ...prefixed(ownSettings(service)), "data-connectivity:jobOperations": "create" };
  const values = Object.entries(settings).map(([key, value]) => [key, { value, secret: false }]);
  project.write("config-globex.json", JSON.stringify(Object.fromEntries(values)));
  expect((await project.run(["jobs", "--at-service", "--all", "--check"])).stdout).not.toContain("in no stack");
  const { stdout, stderr } = await project.run(["jobs", "--at-service", "--all", "--as-program"]);
  expect(stdout).not.toContain("existingJobId");
  expect(stderr).toContain("No job is declared");
});

describe("jobs of a service with two addresses", () => {
  const [first, second] = ["0b3d3c7e-59a2-4a5e-9d3c-111111111111", "0b3d3c7e-59a2-4a5e-9d3c-222222222222"] as const;

  test("are nobody's only if no stack has them, at whichever address", async () => {
    const both = { [first]: caching("A"), [second]: caching("B") };
    const [one, two] = [await startWith(both), await startWith(both)];
    const project = projectOf({
      acme: { text: stackOf("acme", { orders: first }, one.baseUrl), service: one },
      globex: { text: stackOf("globex", { items: second }, two.baseUrl), service: two },
    });
    const { stdout, lines } = await project.run(["jobs", "--at-service", "--all"]);
    expect(stdout).not.toContain("in no stack");
    expect(lines.at(-2)).toMatch(/^2 jobs/);
    expect((await project.run(["jobs", "--at-service", "--all", "--as-program"])).stdout).not.toContain(
      "existingJobId",
    );
  });

  test("are of two stacks if both have them, at whichever address", async () => {
    const service = await start();
    const project = projectOf({
      acme: { text: stackOf("acme", { orders: first }, "https://jobs.example.com"), service },
      globex: { text: stackOf("globex", { items: first }, "https://eu.jobs.example.com"), service },
    });
    const { exitCode, stdout } = await project.run(["jobs", "--all", "--check"]);
    expect(stdout).toContain(`Job ${first} is in the state of`);
    expect(exitCode).toBe(1);
  });
});

describe("jobs at the service, with several stacks,", () => {
  test("are those of each stack's own account, with the stack that has each, and those that none has", async () => {
    const [one, two] = [
      await startWith({ "job-1": caching("A"), "job-2": caching("B"), "job-3": caching("C") }),
      await startWith({ "job-4": caching("D") }),
    ];
    const project = projectOf({
      acme: { text: stackOf("acme", { orders: "job-1", items: "job-2" }, one.baseUrl), service: one },
      globex: { text: stackOf("globex", { items: "job-2" }, one.baseUrl), service: one },
      initech: { text: stackOf("initech", { sales: "job-4" }, two.baseUrl), service: two },
    });
    const { exitCode, lines, stderr } = await project.run(["jobs", "--at-service", "--all"]);
    expect(exitCode).toBe(0);
    const cells = lines.map((line) => line.split(" | ")).map((row) => [row[0], ...row.slice(-3)].join(" | "));
    expect(cells).toEqual([
      "PROBLEM | LISTED FOR | STACK | RESOURCE",
      "- | - | acme | orders",
      "duplicate: several resources have it | - | acme, globex | items, items",
      "in no stack that was read | acme | - | -",
      "- | - | initech | sales",
      expect.stringMatching(/^4 jobs, 1 of them not in any of the stacks/),
      expect.any(String),
    ]);
    expect(stderr).toContain(danger);
    const program = await project.run(["jobs", "--at-service", "--all", "--as-program"]);
    expect(program.stdout.match(/existingJobId: "[^"]+"/g)).toEqual(['existingJobId: "job-3"']);
    expect(program.stdout).toContain('// Listed for the stack acme:\nnew CachingJob("c", {');
    const file = await project.run(["jobs", "--at-service", "--all", "--as-import"]);
    expect(file.stderr).toContain("Listed for the stack acme: c.");
  });

  test("are read with each stack's own settings, even if the environment names one stack's file", async () => {
    const [one, two] = [await startWith({ "job-1": caching("A") }), await startWith({ "job-2": caching("B") })];
    const project = projectOf({
      acme: { text: stackOf("acme", { orders: "job-1" }, one.baseUrl), service: one },
      globex: { text: stackOf("globex", { items: "job-2" }, two.baseUrl), service: two },
    });
    const named = { PULUMI_OPTION_CONFIG_FILE: `${project.path}/config-acme.json` };
    const { stdout } = await project.run(["jobs", "--at-service", "--all", "--json"], named);
    expect(JSON.parse(stdout)).toMatchObject({ jobs: [{ stack: "acme" }, { stack: "globex" }] });
  });

  test.each([
    ["with its source", "LATE", {}],
    ["with its source in the service's own form", " LATE ", {}],
    ["that its reply named", "OTHER", { namedId: "job-1" }],
  ])(
    "show a job %s as perhaps made by an unconfirmed create of any stack of its account",
    async (_what, table, more) => {
      const service = await startWith({ "job-1": declaredBody(table) });
      const origin = { ...originAt(service.baseUrl, "unconfirmed"), ...more };
      const late = unconfirmed("late", { ...declares("LATE"), origin });
      const of = (stack: string, ...jobs: object[]) => ({
        text: exported(jobs).replaceAll("urn:pulumi:dev::", `urn:pulumi:${stack}::`),
        service,
      });
      const project = projectOf({ acme: of("acme"), globex: of("globex", late), initech: of("initech", late) });
      const { lines } = await project.run(["jobs", "--at-service", "--all"]);
      expect(lines.slice(1)).toEqual([
        matching(
          /^unconfirmed \| job-1 .*perhaps both \| globex, initech \| late, late \(unconfirmed: perhaps this job\)$/,
        ),
        ...["1 job, 0 of them not in any of the stacks, 1 perhaps", ""],
      ]);
    },
  );

  test("fail closed if the list of one is missing", async () => {
    const [one, two] = [await startWith({ "job-1": JOB }), await start()];
    two.inject({ kind: "reply", status: 401, times: -1 });
    const text = (name: string) => stackOf(name, {});
    const project = projectOf({
      acme: { text: text("acme"), service: one },
      globex: { text: text("globex"), service: two },
    });
    const { exitCode, stdout } = await project.run(["jobs", "--at-service", "--all", "--json"]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ jobs: null, notListed: [{}] });
  });
});

test("The token of a variable is sent to no stack that does not have its account", async () => {
  const [a, b] = [await start({ token: "of-a" }), await start({ token: "of-b" })];
  for (const service of [a, b]) service.addJob(JOB, { id: "job-1" });
  const of = (name: string, service: TestServer) => ({
    text: stackOf(name, { orders: "job-1" }, service.baseUrl),
    service,
  });
  const project = projectOf({ acme: of("acme", a), globex: of("globex", b) });
  const { exitCode } = await project.run(["jobs", "--at-service", "--all"], { DATA_CONNECTIVITY_TOKEN_EU: "of-a" });
  expect({ exitCode, statuses: b.requests.map(({ status }) => status) }).toEqual({ exitCode: 0, statuses: [200] });
});

describe("Stacks of one name in two organizations are two", () => {
  const dev = (id: string, ...more: readonly unknown[]) =>
    exported([resource("orders", { id, ...declares("ORDERS") }), ...more]);
  const ofTwo = async (mine: string, theirs: string) => {
    const service = await start();
    const of = (text: string) => ({ text, service });
    return projectOf({ "me/dev": of(mine), "acme/dev": of(theirs) });
  };

  test.each([
    ["a job each for one source", dev("job-2", resource("items", { id: "job-3", ...declares("ITEMS") }))],
    ["the same job", dev("job-1", resource("items", { id: "job-3", ...declares("ITEMS") }))],
  ])("with %s: --check rings, and the command names the stack as the CLI does", async (_what, theirs) => {
    const project = await ofTwo(dev("job-1"), theirs);
    const { exitCode, stdout } = await project.run(["jobs", "--all", "--check"]);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /To keep CachingJob "orders" in the stack me\/dev:\n +pulumi state delete .* --stack acme\/dev$/m,
    );
    expect((await project.run(["jobs", "--all"])).lines).toContainEqual(matching(/^acme\/dev \| items \| job-3/));
  });

  test("the job that the list shows is not said to be missing", async () => {
    const service = await startWith({ "job-1": declaredBody("ORDERS") });
    const text = (...more: readonly unknown[]) => {
      const origin = originAt(service.baseUrl);
      return exported([resource("orders", { id: "job-1", origin, ...declares("ORDERS") }), ...more]);
    };
    const project = projectOf({
      "me/dev": { text: text(), service },
      "acme/dev": { text: text({ urn: "urn:pulumi:dev::proj::x:index:Y::z", type: "x:index:Y" }), service },
    });
    const { stdout } = await project.run(["jobs", "--at-service", "--all", "--json"]);
    const { jobs } = JSON.parse(stdout) as { jobs: readonly { readonly problem?: string }[] };
    expect(jobs.map(({ problem }) => problem)).toEqual(["duplicate"]);
  });
});

test("The duplicate of a job does not show the job's secret table", async () => {
  const service = await startWith({ "job-1": declaredBody("HUSH_HUSH"), "job-2": declaredBody("HUSH_HUSH") });
  const inputs = { params: { ...params, sourceTable: encrypted } };
  const stack = exported([resource("orders", { id: "job-1", origin: originAt(service.baseUrl), inputs })]);
  const { stdout, stderr } = await askService(service, { stack });
  expect(stdout).toContain("duplicate of job-1");
  expect(stdout + stderr).not.toContain("HUSH_HUSH");
});

test.each([
  ["as the CLI prints them", 4, "\n"],
  ["in one line each, with another line after each", undefined, "\nwarning: A new version is available.\n"],
])("two exports in one pipe are refused, %s: the last one would be taken for both", async (_when, indent, after) => {
  const printed = (text: string, stack: string) =>
    `${JSON.stringify(JSON.parse(text.replaceAll("urn:pulumi:dev::", `urn:pulumi:${stack}::`)), undefined, indent)}${after}`;
  const text = printed(exported([unconfirmed("orders")]), "dev") + printed(exported([resource("items")]), "prod");
  for (const args of [["--check"], ["--at-service", "-", "--as-program"]]) {
    const { exitCode, stdout, stderr } = await new CliFolder().pipe(text, ["jobs", ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain("Standard input has 2 exported stacks. Give each one in a file of its own.");
  }
});
