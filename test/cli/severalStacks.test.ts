import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { subjectOf } from "../../provider/src/client/token.js";
import { membersOf } from "../../provider/src/json.js";
import { JOB, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { jwt } from "../support/jwt.js";
import { matching } from "../support/matchers.js";
import { allOperations, CliFolder, configuredProject, ownSettings } from "./cliProcess.js";
import {
  caching,
  declaredBody,
  declares,
  exported,
  originAt,
  resource,
  startWith,
  unconfirmed,
} from "./exportedState.js";

afterEach(stopAll);

/** The export of a stack that has these jobs. */
const stackOf = (name: string, jobs: Readonly<Record<string, string>>, baseUrl?: string, subject?: string): string =>
  exported(
    Object.entries(jobs).map(([table, id]) =>
      resource(table, { id, origin: { ...originAt(baseUrl), subject }, ...declares(table) }),
    ),
  ).replaceAll("urn:pulumi:dev::", `urn:pulumi:${name}::`);

/** A project whose CLI lists and exports these stacks, each with the configuration of its own service. */
function projectOf(stacks: Readonly<Record<string, { readonly text: string; readonly service: TestServer }>>) {
  const project = configuredProject({});
  const names = Object.keys(stacks);
  project.write("ls.json", JSON.stringify(names.map((name) => ({ name }))));
  for (const [name, { text, service }] of Object.entries(stacks)) {
    const settings = { ...allOperations, ...prefixed(ownSettings(service)) };
    const values = Object.entries(settings).map(([key, value]) => [key, { value, secret: false }]);
    project.write(`config-${name}.json`, JSON.stringify(Object.fromEntries(values)));
    project.write(`export-${name}.json`, text);
  }
  const script = `#!/bin/sh
cd "$(dirname "$0")/.."
for word; do [ "$before" = --stack ] && stack=$word; before=$word; done
case "$1 $2" in
  "stack ls") cat ls.json ;;
  "stack export") cat "export-$stack.json" ;;
  *) cat "config-$stack.json" ;;
esac
`;
  chmodSync(project.write("bin/pulumi", script), 0o755);
  return project;
}

const prefixed = (settings: object) =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [`data-connectivity:${name}`, String(value)]));

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
        ...["acme", "globex"].map((stack) => matching(`^pulumi state delete --force --yes '.*' --stack ${stack}$`)),
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
      "in no stack | acme | - | -",
      "- | - | initech | sales",
      expect.stringMatching(/^4 jobs, 1 of them not in any of the stacks/),
      expect.any(String),
    ]);
    expect(stderr).toContain(danger);
    const program = await project.run(["jobs", "--at-service", "--all", "--as-program"]);
    expect(program.stdout.match(/existingJobId: "[^"]+"/g)).toEqual(['existingJobId: "job-3"']);
  });

  test("show a job as perhaps made by an unconfirmed create of any stack of its account", async () => {
    const service = await startWith({ "job-1": declaredBody("LATE") });
    const late = unconfirmed("late", { ...declares("LATE"), origin: originAt(service.baseUrl, "unconfirmed") });
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
  });

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

/**
 * A folder of projects of one name, one for each customer. As at a real backend, the CLI lists the stacks of all of them
 * in each folder, and reads the settings of the folder that it is in.
 */
function fleetOf(customers: Readonly<Record<string, { readonly text?: string; readonly settings: object }>>) {
  const fleet = new CliFolder();
  fleet.env["PATH"] = `${fleet.path}/bin:/usr/bin:/bin`;
  mkdirSync(join(fleet.path, "bin"));
  fleet.write("ls.json", JSON.stringify(Object.keys(customers).map((name) => ({ name }))));
  fleet.write("calls", "");
  // The fleet is in a repository that is a project, too.
  fleet.write("Pulumi.yaml", "name: repository\nruntime: nodejs\n");
  for (const [name, { text, settings }] of Object.entries(customers)) {
    mkdirSync(join(fleet.path, "stacks", name), { recursive: true });
    fleet.write(`stacks/${name}/Pulumi.yaml`, "name: fleet\nruntime: yaml\n");
    const values = Object.entries(prefixed(settings)).map(([key, value]) => [key, { value, secret: false }]);
    fleet.write(`config-${name}.json`, JSON.stringify(Object.fromEntries(values)));
    if (text !== undefined) fleet.write(`export-${name}.json`, text);
  }
  const script = `#!/bin/sh
root="$(dirname "$0")/.."
for word; do [ "$before" = --stack ] && stack=$word; before=$word; done
echo "$1 $stack" >> "$root/calls"
case "$1 $2" in
  "stack ls") cat "$root/ls.json" ;;
  "stack export") cat "$root/export-$stack.json" ;;
  *) cat "$root/config-$(basename "$PWD").json" ;;
esac
`;
  chmodSync(fleet.write("bin/pulumi", script), 0o755);
  const calls = (what: string) =>
    readFileSync(join(fleet.path, "calls"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith(what));
  return { fleet, calls };
}

describe("the picture of a fleet", () => {
  const names = Array.from({ length: 100 }, (_, index) => `customer${index}`);
  const tables = Array.from({ length: 10 }, (_, index) => `T${index}`);
  const start100 = async (opaque: boolean) => {
    const tokens = Object.fromEntries(
      names.map((name) => [opaque ? `token-${name}` : jwt({ iss: "p", sub: name }), name]),
    );
    const service = await start({ tokens });
    const customers = Object.entries(tokens).map(([token, name]) => {
      const ids = tables.map((table) => [table, `${name}-${table}`] as const);
      for (const [table, id] of ids) service.addJob(caching(table), { id, account: name });
      const text = stackOf(name, Object.fromEntries(ids), service.baseUrl, subjectOf(token));
      return [name, { text, settings: { ...ownSettings({ ...service, token }), jobOperations: "all" } }] as const;
    });
    return { service, ...fleetOf(Object.fromEntries(customers)) };
  };
  const documentSchema = z.object({
    jobs: z
      .array(z.object({ existsIn: z.string(), stack: z.string().nullable(), listedFor: z.string().nullable() }))
      .nullable(),
    incompleteJobs: z.array(z.object({ existsIn: z.string(), stack: z.string() })).nullable(),
    notListed: z.array(z.object({ stack: z.string().nullable(), folder: z.string().nullable(), what: z.string() })),
  });

  test("of a hundred customers takes one request and one export of each", async () => {
    const { service, fleet, calls } = await start100(false);
    service.removeJob("customer7-T3");
    service.addJob(caching("STRANGE"), { id: "strange", account: "customer8" });
    const { exitCode, stdout, stderr } = await fleet.run(["jobs", "--at-service", "--all", "stacks", "--json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const { jobs } = documentSchema.parse(JSON.parse(stdout));
    expect(jobs?.filter(({ existsIn }) => existsIn === "both")).toHaveLength(999);
    expect(jobs?.filter(({ existsIn }) => existsIn !== "both")).toEqual([
      { existsIn: "service", stack: null, listedFor: "customer8" },
      { existsIn: "stack", stack: "customer7", listedFor: null },
    ]);
    expect(service.requests).toHaveLength(100);
    expect(new Set(service.requests.map(({ account }) => account)).size).toBe(100);
    expect([calls("stack customer").length, new Set(calls("stack customer")).size, calls("config").length]).toEqual([
      100, 100, 100,
    ]);
    expect(calls("stack")).toHaveLength(101);
  });

  test.each([
    ["by the subject of the token", false, 1],
    ["by the jobs, where the token tells no subject", true, 3],
  ])(
    "in one customer's folder names each other stack, whose settings are elsewhere, %s",
    async (_, opaque, requests) => {
      const three = names.splice(3);
      const { service, fleet } = await start100(opaque);
      names.push(...three);
      const cwd = ["--cwd", "stacks/customer1"];
      const { exitCode, stdout } = await fleet.run(["jobs", "--at-service", "--all", "--json", ...cwd]);
      expect(exitCode).toBe(1);
      const { jobs, incompleteJobs, notListed } = documentSchema.parse(JSON.parse(stdout));
      expect(jobs).toBeNull();
      const found = (stack: string) =>
        new Set(incompleteJobs?.filter((one) => one.stack === stack).map(({ existsIn }) => existsIn));
      expect(["customer0", "customer1", "customer2"].map((name) => [...found(name)])).toEqual([
        ["notLookedFor"],
        ["both"],
        ["notLookedFor"],
      ]);
      expect(notListed.map(({ stack }) => stack)).toEqual(["customer0", "customer2"]);
      expect(service.requests).toHaveLength(requests);
    },
  );

  test("runs each stack's credentialsCommand in the folder of its own project", async () => {
    const service = await start({ tokens: { one: "acme", two: "globex" } });
    const settings = { baseUrl: service.baseUrl, credentialsCommand: "cat token", jobOperations: "all" };
    const { fleet } = fleetOf({
      acme: { text: stackOf("acme", {}), settings },
      globex: { text: stackOf("globex", {}), settings },
    });
    fleet.write("stacks/acme/token", "one");
    fleet.write("stacks/globex/token", "two");
    const printed = await fleet.spawn(["jobs", "--at-service", "--all", "stacks"]);
    expect(printed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(service.requests.map(({ account }) => account)).toEqual(["acme", "globex"]);
  });

  test("is incomplete if nothing but a folder without a stack is missing", async () => {
    const service = await start();
    const settings = { ...ownSettings(service), jobOperations: "all" };
    const { fleet } = fleetOf({ acme: { text: stackOf("acme", {}), settings } });
    mkdirSync(join(fleet.path, "stacks/new"));
    fleet.write("stacks/new/Pulumi.yaml", "name: fleet\nruntime: yaml\n");
    const printed = await fleet.run(["jobs", "--at-service", "--all", "stacks", "--json"]);
    expect(printed.exitCode).toBe(1);
    expect(documentSchema.parse(JSON.parse(printed.stdout))).toMatchObject({
      jobs: null,
      incompleteJobs: [],
      notListed: [{ stack: null, folder: join(fleet.path, "stacks/new") }],
    });
  });

  test.each(["--as-program", "--as-import"])(
    "%s declares no job that a stack may have that was not read",
    async (how) => {
      const service = await startWith({ "job-1": caching("A") });
      const settings = { ...ownSettings(service), jobOperations: "all" };
      const { fleet } = fleetOf({ acme: { text: stackOf("acme", {}), settings }, broken: { settings } });
      const printed = await fleet.run(["jobs", "--at-service", "--all", "stacks", how]);
      expect(printed).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: matching(/^Stack broken.*\nNo job is declared/),
      });
    },
  );

  test("names each stack that could not be asked, and each folder without a stack", async () => {
    const service = await startWith({ "job-1": caching("A") });
    const settings = { ...ownSettings(service), jobOperations: "all" };
    const { fleet } = fleetOf({
      acme: { text: stackOf("acme", { a: "job-1" }, service.baseUrl), settings },
      broken: { settings },
      create: { text: stackOf("create", {}), settings: ownSettings(service) },
      refused: { text: stackOf("refused", {}), settings: { ...settings, credentialsCommand: "exit 1" } },
    });
    fleet.write(
      "ls.json",
      JSON.stringify(["acme", "broken", "create", "refused", "org/fleet/left"].map((name) => ({ name }))),
    );
    mkdirSync(join(fleet.path, "stacks/new"));
    fleet.write("stacks/new/Pulumi.yaml", "name: fleet\nruntime: yaml\n");
    const { exitCode, lines, stderr } = await fleet.run(["jobs", "--at-service", "--all", "stacks"]);
    expect(exitCode).toBe(1);
    expect(lines.slice(1)).toEqual([
      matching(/^job-1 .* both /),
      "1 job, 0 of them not in the stack",
      expect.stringMatching(
        /^Incomplete: 5 lists are missing \(Stack create in .*\/stacks\/create, the unnamed account; .*; Stack broken in .*; .*\), as standard error says\.$/,
      ),
      "",
    ]);
    const told = stderr.replaceAll(`${fleet.path}/`, "").trimEnd().split("\n");
    expect(told.map((line) => line.split(": ").slice(0, 2).join(": ").slice(0, 90)).sort()).toEqual([
      "Folder stacks/new: not asked, because it has no stack. Run pulumi up there first.",
      "Stack broken in stacks/broken: not asked",
      matching(/^Stack create in stacks\/create, the unnamed account: its jobs are not listed, because /),
      matching(/^Stack org\/fleet\/left in .*stacks: not asked, because none of the folders /),
      matching(/^Stack refused in stacks\/refused, the unnamed account: The command of data-conne/),
    ]);
  });
});

test("two projects of one name at two backends are two projects", async () => {
  const folder = new CliFolder();
  for (const [name, jobId] of [
    ["one", "job-1"],
    ["two", "job-2"],
  ] as const) {
    mkdirSync(join(folder.path, "fleet", name), { recursive: true });
    const backend = `backend: { url: "https://${name}.example.com" }`;
    folder.write(`fleet/${name}/Pulumi.yaml`, `name: proj\nruntime: yaml\n${backend}\n`);
    folder.write(`fleet/${name}/export.json`, exported([resource("orders", { id: jobId })]));
  }
  mkdirSync(join(folder.path, "bin"));
  const cli = `#!/bin/sh\ncase "$1 $2" in "stack ls") echo '[{"name":"dev"}]';; *) cat export.json;; esac\n`;
  chmodSync(folder.write("bin/pulumi", cli), 0o755);
  folder.env["PATH"] = `${folder.path}/bin:/usr/bin:/bin`;
  const { exitCode, stdout } = await folder.run(["jobs", "--all", "fleet"]);
  expect([exitCode, stdout.includes("job-1"), stdout.includes("job-2")]).toEqual([0, true, true]);
});
