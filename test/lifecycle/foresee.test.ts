import { setTimeout as sleep } from "node:timers/promises";
import type { Finding } from "../../provider/src/finding.js";
import type { Clock } from "../../provider/src/client/clock.js";
import { AccountClients } from "../../provider/src/client/accountClient.js";
import { cachingJob, type Declaration } from "../../provider/src/jobs/index.js";
import type { JsonObject } from "../../provider/src/json.js";
import type { OwnState, StateJob } from "../../provider/src/lifecycle/ownState.js";
import { savedResource, type Resource, type SavedResource } from "../../provider/src/lifecycle/resource.js";
import { Run } from "../../provider/src/lifecycle/run.js";
import { SentJob } from "../../provider/src/lifecycle/sentJob.js";
import { cachingBody } from "../support/all/declarations.js";
import { declaration } from "../support/declaration.js";
import { deferred } from "../support/deferred.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestServerOptions } from "../support/emulator/index.js";
import { FastClock } from "../support/fastClock.js";
import { saying } from "../support/matchers.js";
import { resource as named } from "../support/resource.js";
import { settings } from "../support/settings.js";

afterEach(stopAll);

const urnOf = (name: string, types = "data-connectivity:index:CachingJob"): string =>
  `urn:pulumi:test::project::${types}::${name}`;

/** A caching job of this table, under this URN. */
function resourceFor(name: string, table: string, more: Declaration = {}, urn = urnOf(name)): Resource {
  const declared = { ...declaration, params: { ...declaration.params, sourceTable: table }, ...more };
  return { ...named(cachingJob, declared), label: `CachingJob "${name}"`, key: urn, urn, isPlain: () => true };
}

/** The run of a preview against an emulator. `owners`: the URN of the resource in the state that has a job, by its id. */
async function preview({
  options,
  mode = "all",
  env,
  clock,
}: { options?: TestServerOptions; mode?: string; env?: Record<string, string>; clock?: Clock } = {}) {
  const service = await start(options);
  const lines: string[] = [];
  const jobs: StateJob[] = [];
  let isKnown = true;
  const state = (): OwnState | undefined =>
    isKnown ? { jobs, unconfirmed: [], unconfirmedChanges: [], savedAt: undefined } : undefined;
  const config = { baseUrl: service.baseUrl, token: service.token, jobOperations: mode };
  const report = ({ text }: Finding) => void lines.push(text);
  const client = { isEngineAlive: () => Promise.resolve(true), report, ...(clock && { clock }) };
  const run = new Run({
    clients: new AccountClients(settings(config, env), client),
    failure: (message) => new Error(message),
    ownState: () => Promise.resolve(state()),
  });
  const own = (id: string | undefined, urn: string, declared: Declaration = {}, isOfProvider = true) => {
    const origin = {
      outcome: id === undefined ? "unconfirmed" : "created",
      baseUrl: service.baseUrl,
      account: undefined,
      at: "2026-11-01T12:00:00Z",
    } as const;
    const label = `CachingJob "${urn.split("::").at(-1) ?? ""}"`;
    jobs.push({
      id: id ?? "unconfirmed-1",
      urn,
      label,
      kind: cachingJob,
      jobId: id,
      origin,
      sent: new SentJob(cachingJob, declared, () => true),
      isOfProvider,
    });
  };
  const savedFor = (name: string, table: string, id: string): SavedResource => {
    const { declared, ...rest } = resourceFor(name, table);
    const job: JsonObject = { id, params: {} };
    const origin = { outcome: "created", baseUrl: service.baseUrl, at: "2026-11-01T12:00:00Z" };
    const saved = savedResource(rest, id, { ...declared, job, origin });
    if (saved === undefined) throw new Error("There is no state.");
    return saved;
  };
  const forget = () => void (isKnown = false);
  const sent = () => service.requests.map(({ operation, method }) => operation ?? method);
  return { service, run, lines, own, savedFor, forget, sent };
}

const did = {
  foresee: (run: Run, resource: Resource) => run.foresee(resource),
  up: (run: Run, resource: Resource) => run.create(resource),
};
type Way = keyof typeof did;
const ways: readonly Way[] = ["foresee", "up"];

describe("A preview in mode all", () => {
  test("lists jobs, connections and tables once for all new resources, and sends nothing", async () => {
    const { run, lines, sent } = await preview();
    for (const table of ["ORDERS", "ITEMS", "CUSTOMERS"]) await run.foresee(resourceFor(table, table));
    expect([lines, sent()]).toEqual([[], ["list", "connections", "tables"]]);
  });

  test("refuses a source that someone else's job has, in the words of the create", async () => {
    const { service, run } = await preview();
    const { id } = service.addJob(cachingBody("A"));
    await expect(run.foresee(resourceFor("a", "A"))).rejects.toThrow(
      new RegExp(`^CachingJob "a": A job for this source exists already: job ${id}, .*adopt it`, "s"),
    );
  });

  test("refuses the second declaration of one source", async () => {
    const { run } = await preview();
    await run.foresee(resourceFor("a", "A"));
    await expect(run.foresee(resourceFor("again", "A"))).rejects.toThrow('CachingJob "a" of this stack is creating');
  });

  test.each([
    ["renamed", urnOf("new"), 'add to its options: aliases: [{ name: "old" }]'],
    [
      "under a parent of another type",
      urnOf("old", "my:New$data-connectivity:index:CachingJob"),
      "component's options",
    ],
  ])("names the resource of the stack that has the job, and the alias that works: %s", async (_what, now, alias) => {
    const { service, run, own } = await preview();
    const old = _what === "renamed" ? urnOf("old") : urnOf("old", "my:Old$data-connectivity:index:CachingJob");
    own(service.addJob(cachingBody("A")).id, old);
    for (const way of ways) {
      const failure = did[way](run, resourceFor("new", "A", {}, now));
      await expect(failure).rejects.toThrow('"old" of this stack already has the job for this source');
      await expect(failure).rejects.toThrow(alias);
      await expect(failure).rejects.not.toThrow("adopt it");
    }
  });

  test.each(ways)("%s makes a job for a source that another provider has in an account of its own", async (way) => {
    const { service, run, own } = await preview();
    const resource = resourceFor("a", "A");
    own("job-9", urnOf("theirs"), resource.declared, false);
    service.inject({ kind: "reply", on: "get", status: 403, times: -1 });
    await did[way](run, resource);
    expect(service.jobs).toHaveLength(way === "up" ? 1 : 0);
  });

  test.each(ways)(
    "%s makes no job for a source that the stack has, though the token may not read its job",
    async (way) => {
      const { service, run, own } = await preview();
      const resource = resourceFor("a", "A");
      own("job-9", urnOf("ours"), resource.declared);
      service.inject({ kind: "reply", on: "get", status: 403, times: -1 });
      await did[way](run, resource).catch(() => undefined);
      expect(service.jobs).toHaveLength(0);
    },
  );

  test.each(ways)("%s does not advise to adopt a job that an unconfirmed create may have made", async (way) => {
    const { service, run, own } = await preview();
    service.addJob(cachingBody("A"));
    own(undefined, urnOf("lost"), resourceFor("lost", "A").declared);
    await expect(did[way](run, resourceFor("a", "A"))).rejects.toThrow(/"lost" .* its last create .* is unconfirmed/);
  });

  test("names the alias of a renamed component", async () => {
    const { service, run, own } = await preview();
    const types = "my:Sales$data-connectivity:index:CachingJob";
    own(service.addJob(cachingBody("A")).id, urnOf("sales-orders", types));
    await expect(run.foresee(resourceFor("revenue-orders", "A", {}, urnOf("revenue-orders", types)))).rejects.toThrow(
      'add to the component\'s options: aliases: [{ name: "sales" }]',
    );
  });

  test.each([
    [
      "data-connectivity:index:CachingJob",
      /aliases: \["urn:pulumi:(\S+?)::.*"\] \(in another stack, with its name instead of "\1"\)$/m,
    ],
    [
      "pulumi-nodejs:dynamic/data-connectivity:CachingJob",
      /aliases: \[`urn:pulumi:\$\{pulumi\.getStack\(\)\}::\w+::pulumi-nodejs:dynamic\/data-connectivity:CachingJob::old\\`s`\]$/m,
    ],
  ])("names an alias for every stack if a job of the type %s moved into a component", async (type, alias) => {
    const { service, run, own } = await preview();
    own(service.addJob(cachingBody("A")).id, urnOf("old`s", type));
    const failure = run.foresee(resourceFor("new", "A", {}, urnOf("new", `my:Sales$${type}`)));
    await expect(failure).rejects.toThrow(alias);
  });

  test("does not refuse a resource that --replace or a taint creates again", async () => {
    const { service, run, own, lines } = await preview();
    // The service may write an id in another case than when the state was saved.
    own(service.addJob(cachingBody("A")).id.toUpperCase(), urnOf("a"));
    await run.foresee(resourceFor("a", "A"));
    expect(lines).toEqual([expect.stringContaining("deleteBeforeReplace: true")]);
  });

  test("only warns of a taken source if the stack's state is not known", async () => {
    const { service, run, lines, forget } = await preview();
    service.addJob(cachingBody("A"));
    forget();
    await run.foresee(resourceFor("a", "A"));
    expect(lines).toEqual([expect.stringMatching(/^CachingJob "a": A job for this source exists already/)]);
  });

  test("refuses a list that shifts, and says how its jobs keep their resources", async () => {
    const { service, run, own, savedFor } = await preview();
    const [a, b] = ["A", "B"].map((table) => service.addJob(cachingBody(table)).id);
    own(a ?? "", urnOf("job0"));
    own(b ?? "", urnOf("job1"));
    await expect(run.foresee(resourceFor("job0", "B"), savedFor("job0", "A", a ?? ""))).rejects.toThrow(
      /was not changed\. CachingJob "job1" of this stack already has .*The resource that copies this source gets aliases: \[\{ name: "job1" \}\]/s,
    );
  });

  test("lets a resource take the source that another one leaves before it", async () => {
    const { service, run, own, savedFor } = await preview();
    const { id } = service.addJob(cachingBody("A"));
    own(id, urnOf("a"));
    await run.foresee(resourceFor("a", "B"), savedFor("a", "A", id));
    await run.foresee(resourceFor("b", "A"));
  });

  test("refuses an adoption that differs, of no job, and passes one whose resource may leave the stack", async () => {
    const { service, run, own } = await preview();
    const [differs, owned] = ["A", "B"].map((table) => service.addJob(cachingBody(table)).id);
    own(owned?.toUpperCase(), urnOf("owner"));
    const adopting = (table: string, id = "", more = {}) =>
      run.foresee(resourceFor("a", table, { existingJobId: id, ...more }));
    await expect(adopting("A", differs, { intervalValue: 9 })).rejects.toThrow("differs from the declaration");
    await expect(adopting("A", "job-7")).rejects.toThrow("the service has no job job-7");
    await adopting("B", owned);
    await adopting("A", differs);
  });

  test("warns of a connection that the service does not list, with the nearest ones", async () => {
    const { run, lines } = await preview();
    const sourceConnection = "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e60";
    await run.foresee(resourceFor("a", "A", { params: { ...declaration.params, sourceConnection } }));
    expect(lines).toEqual([expect.stringMatching(/^CachingJob "a": the service lists no connection .* Nearest: /)]);
  });

  const only = (schema: string, table: string) => ({ tables: [{ connection: "Snowflake1", schema, table }] });
  const refusedAfterOne = { kind: "reply", status: 403, on: "tables", after: 1, times: -1 } as const;
  test.each<[string, TestServerOptions, string]>([
    [
      "a table",
      only("PUBLIC", "ORDERS"),
      'table "ORDER" in schema "PUBLIC" of connection "Snowflake1". Nearest: "ORDERS".',
    ],
    ["a schema", only("PRIVATE", "ORDER"), 'schema "PUBLIC" of connection "Snowflake1". Nearest: "PRIVATE".'],
    [
      "a schema, if the others cannot be listed,",
      { ...only("PRIVATE", "ORDER"), faults: [refusedAfterOne] },
      'schema "PUBLIC" of connection "Snowflake1".',
    ],
  ])("warns of %s that the service does not list", async (_what, options, warning) => {
    const { run, lines } = await preview({ options });
    await run.foresee(resourceFor("a", "ORDER"));
    expect(lines).toEqual([`CachingJob "a": the service lists no ${warning}`]);
  });

  test("warns of no name that the service lists in another Unicode form", async () => {
    const { run, lines } = await preview({ options: only("PUBLIC", "E\u0301TE\u0301") });
    await run.foresee(resourceFor("a", "\u00c9T\u00c9"));
    expect(lines).toEqual([]);
  });

  test("says once that a list cannot be had, and refuses nothing", async () => {
    const { run, lines } = await preview({
      options: { faults: [{ kind: "reply", status: 403, on: "list", times: -1 }] },
    });
    for (const table of ["A", "B"]) await run.foresee(resourceFor(table, table));
    expect(lines).toEqual([
      expect.stringMatching(/^This preview did not compare all that pulumi up compares: GET .* HTTP 403/),
    ]);
  });

  test("does not compare what is unknown", async () => {
    const { run, sent } = await preview();
    const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
    await run.foresee(resourceFor("a", unknown));
    await run.foresee(resourceFor("a", "A", { existingJobId: unknown }));
    expect(sent()).toEqual([]);
  });
});

test("A preview in mode create sends nothing", async () => {
  const { run, sent } = await preview({ mode: "create" });
  await run.foresee(resourceFor("a", "A"));
  expect(sent()).toEqual([]);
});

describe("In a run that adopts what matches", () => {
  const adopting = { env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" } };

  test.each(ways)("%s adopts each job that matches, and says which", async (way) => {
    const { service, run, lines, sent } = await preview(adopting);
    const ids = ["A", "B"].map((table) => service.addJob(cachingBody(table)).id);
    for (const table of ["A", "B"]) await did[way](run, resourceFor(table, table));
    expect(lines).toEqual(ids.map((id) => saying(`: job ${id} is adopted if it matches`)));
    expect(new Set(sent())).toEqual(new Set(["list"]));
  });

  test.each(ways)("%s refuses a job that differs, with its differences", async (way) => {
    const { service, run } = await preview(adopting);
    const { id } = service.addJob(cachingBody("A"));
    await expect(did[way](run, resourceFor("a", "A", { intervalValue: 9 }))).rejects.toThrow(
      new RegExp(`job ${id} differs from the declaration, so it was not adopted.*intervalValue: 4`, "s"),
    );
    expect(service.jobs).toHaveLength(1);
  });

  test.each(ways)("%s refuses a job that does not report all that is declared", async (way) => {
    const { service, run } = await preview(adopting);
    const { id } = service.addJob(cachingBody("A"));
    service.changeJob(id, { params: { destinationSchema: undefined, sourceName: undefined } });
    await expect(did[way](run, resourceFor("a", "A"))).rejects.toThrow("cannot be compared with the declaration");
  });

  test.each(ways)("%s gives the job of two new resources with one source to the first", async (way) => {
    const { service, run } = await preview(adopting);
    const { id } = service.addJob(cachingBody("A"));
    await did[way](run, resourceFor("a", "A"));
    await expect(did[way](run, resourceFor("again", "A"))).rejects.toThrow(
      `CachingJob "a" of this stack already has the job for this source (job ${id}`,
    );
  });

  test.each(ways)("%s leaves the jobs of other resources of the stack to them", async (way) => {
    const { service, run, own } = await preview(adopting);
    own(service.addJob(cachingBody("A")).id.toUpperCase(), urnOf("owner"));
    service.addJob(cachingBody("B"));
    own(undefined, urnOf("lost"), resourceFor("lost", "B").declared);
    await expect(did[way](run, resourceFor("a", "A"))).rejects.toThrow('"owner" of this stack already has the job');
    await expect(did[way](run, resourceFor("b", "B"))).rejects.toThrow('"lost" of this stack is creating a job');
  });

  test("a job is not adopted if the stack's state is not known, and the reason is said", async () => {
    const { service, run, lines, forget } = await preview(adopting);
    const { id } = service.addJob(cachingBody("A"));
    forget();
    await expect(run.create(resourceFor("a", "A"))).rejects.toThrow("exists already");
    expect(lines).toEqual([
      expect.stringContaining(`job ${id} is not adopted, because the stack's state cannot be read`),
    ]);
  });

  test("a job that a create in flight has just made stays that resource's", async () => {
    const clock = new FastClock(60_000);
    const { service, run, sent } = await preview({ ...adopting, clock });
    const answered = deferred();
    const made = { ...cachingBody("A"), id: "job-1", enabled: true };
    const until = answered.promise;
    service.inject({ kind: "reply", on: "create", status: 200, body: { jobs: [made] }, until });
    const first = run.create(resourceFor("a", "A"));
    while (!sent().includes("create")) await sleep(10);
    service.addJob(cachingBody("A"), { id: made.id });
    // The next create cannot rely on the list before it.
    clock.pass(30_000);
    const lists = sent().length;
    const again = run.create(resourceFor("again", "A"));
    while (sent().length === lists) await sleep(10);
    answered.resolve();
    await expect(again).rejects.toThrow('CachingJob "a" of this stack already has the job');
    expect(await first).toMatchObject({ id: made.id, state: { origin: { outcome: "created" } } });
  });

  test("a resource that is created again does not adopt its own old job", async () => {
    const { service, run, own } = await preview(adopting);
    own(service.addJob(cachingBody("A")).id, urnOf("a"));
    await run.check(resourceFor("a", "A"), {});
    await expect(run.create(resourceFor("a", "A"))).rejects.toThrow("belongs to this resource");
  });

  test("a job without a match is created as ever", async () => {
    const { service, run, lines } = await preview(adopting);
    service.addJob(cachingBody("A"));
    expect(await run.create(resourceFor("b", "B"))).toMatchObject({ state: { origin: { outcome: "created" } } });
    expect([lines, service.jobs.length]).toEqual([[], 2]);
  });

  test("mode create refuses new resources, because it cannot compare them", async () => {
    const { run, sent } = await preview({ ...adopting, mode: "create" });
    const problems = async (...args: Parameters<Run["check"]>) => (await run.check(...args)).problems;
    expect(await problems(resourceFor("a", "A"))).toEqual([
      expect.stringContaining("DATA_CONNECTIVITY_ADOPT_MATCHING is set, and no job of this account can be read"),
    ]);
    expect(await problems(resourceFor("a", "A"), {})).toEqual([]);
    expect(await problems(resourceFor("b", "B", { existingJobId: "job-1" }))).toEqual([]);
    expect(sent()).toEqual([]);
  });
});

test("The refusal of a taken source names the command that adopts it", async () => {
  const { service, run } = await preview();
  service.addJob(cachingBody("A"));
  await expect(run.create(resourceFor("a", "A"))).rejects.toThrow("DATA_CONNECTIVITY_ADOPT_MATCHING=true pulumi up");
});
