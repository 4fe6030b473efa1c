import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { subjectOf } from "../../provider/src/client/token.js";
import { start, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { matching } from "../support/matchers.js";
import { CliFolder, ownSettings } from "./cliProcess.js";
import { caching, exported, prefixed, resource, stackOf, startWith } from "./exportedState.js";

afterEach(stopAll);

/**
 * A folder of projects of one name, one for each customer. As at a real backend, the CLI lists the stacks of all of them
 * in each folder, and reads the settings of the folder that it is in.
 */
function fleetOf(
  customers: Readonly<Record<string, { readonly text?: string; readonly settings: object; readonly in?: string }>>,
) {
  const fleet = new CliFolder();
  fleet.env["PATH"] = `${fleet.path}/bin:/usr/bin:/bin`;
  mkdirSync(join(fleet.path, "bin"));
  fleet.write("ls.json", JSON.stringify(Object.keys(customers).map((name) => ({ name }))));
  fleet.write("calls", "");
  // The fleet is in a repository that is a project, too.
  fleet.write("Pulumi.yaml", "name: repository\nruntime: nodejs\n");
  for (const [name, { text, settings, in: folder = "stacks" }] of Object.entries(customers)) {
    mkdirSync(join(fleet.path, folder, name), { recursive: true });
    fleet.write(`${folder}/${name}/Pulumi.yaml`, "name: fleet\nruntime: yaml\n");
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

  test("of a hundred customers takes one request and one export of each, and two exports if a job has no stack", async () => {
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
      200, 100, 100,
    ]);
    expect(calls("stack")).toHaveLength(201);
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
      "Folder stacks/new: not asked",
      "Stack broken in stacks/broken: not asked",
      matching(/^Stack create in stacks\/create, the unnamed account: its jobs are not listed, because /),
      matching(/^Stack org\/fleet\/left in .*stacks: not asked, because none of the folders /),
      matching(/^Stack refused in stacks\/refused, the unnamed account: The command of data-conne/),
    ]);
  });
});

describe("a job of a stack that is not asked at its own address is not nobody's:", () => {
  const programOf = async (fleet: CliFolder) => {
    const printed = await fleet.run(["jobs", "--at-service", "--all", "stacks", "--as-program"]);
    return { ...printed, orphans: (await fleet.run(["jobs", "--at-service", "--all", "stacks", "--json"])).stdout };
  };
  const two = async () => {
    const service = await startWith({ "4711": caching("A"), "4712": caching("B") });
    const settings = { ...ownSettings(service), jobOperations: "all" };
    const own = { text: stackOf("own", { b: "4712" }, service.baseUrl), settings };
    return { service, settings, own };
  };

  test("of a project that lies deeper", async () => {
    const { service, settings, own } = await two();
    const deeper = { text: stackOf("deeper", { a: "4711" }, service.baseUrl), settings, in: "stacks/team" };
    const { stdout, orphans } = await programOf(fleetOf({ own, deeper }).fleet);
    expect(stdout).not.toContain("4711");
    expect(orphans).not.toContain("orphan");
  });

  test("of a stack whose settings a folder has, and that the backend does not list", async () => {
    const { own } = await two();
    const { fleet } = fleetOf({ own });
    fleet.write("stacks/own/Pulumi.prod.yaml", "config: {}\n");
    const { stdout, stderr, orphans } = await programOf(fleet);
    expect(stdout).not.toContain("4711");
    expect(stderr).toMatch(/^Stack prod in .*own: not asked: the folder has its settings, but the backend/);
    expect(orphans).not.toContain("orphan");
  });

  test.each([{}, { jobOperations: "all", credentialsCommand: "exit 1" }])(
    "at another address of the service: %j",
    async (more) => {
      const { service, own } = await two();
      const baseUrl = service.baseUrl.replace("127.0.0.1", "localhost");
      const other = {
        text: stackOf("other", { a: "4711" }, baseUrl),
        settings: { ...ownSettings(service), baseUrl, ...more },
      };
      const { stdout } = await programOf(fleetOf({ own, other }).fleet);
      expect(stdout).not.toContain("existingJobId");
      expect(stdout).toContain('job 4711 may be that of CachingJob "a" in the stack other, under another address');
    },
  );
});

test("a project whose stacks the backend does not list is not said to have none, and no pulumi up is advised", async () => {
  const { fleet } = fleetOf({ own: { text: stackOf("own", {}), settings: {} } });
  fleet.write("ls.json", "[]");
  const { stderr } = await fleet.run(["jobs", "--all", "stacks"]);
  expect(stderr).toContain(
    "lists no stack of it. Any that is at another backend, or in another organization, is not asked.",
  );
  expect(stderr).not.toContain("pulumi up");
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
