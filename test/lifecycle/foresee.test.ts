import { Services } from "../../provider/src/client/service.js";
import { cachingJob, type Declaration } from "../../provider/src/jobs/index.js";
import type { JsonObject } from "../../provider/src/json.js";
import type { OwnState, StateJob } from "../../provider/src/lifecycle/ownState.js";
import { savedResource, type Resource, type SavedResource } from "../../provider/src/lifecycle/resource.js";
import { Run } from "../../provider/src/lifecycle/run.js";
import { cachingBody } from "../support/all/declarations.js";
import { declaration } from "../support/declaration.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestServerOptions } from "../support/emulator/index.js";
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
async function preview({ options, mode = "all" }: { options?: TestServerOptions; mode?: string } = {}) {
  const service = await start(options);
  const lines: string[] = [];
  const jobs: StateJob[] = [];
  let isKnown = true;
  const state = (): OwnState | undefined => (isKnown ? { jobs, interrupted: [], savedAt: undefined } : undefined);
  const config = { baseUrl: service.baseUrl, token: service.token, jobOperations: mode };
  const say = (line: string) => void lines.push(line);
  const client = { isEngineAlive: () => Promise.resolve(true), say, log: undefined };
  const run = new Run({
    services: new Services(settings(config), client),
    failure: (message) => new Error(message),
    say,
    ownState: () => Promise.resolve(state()),
  });
  const own = (id: string, urn: string) => {
    const origin = {
      outcome: "created",
      baseUrl: service.baseUrl,
      account: undefined,
      at: "2026-11-01T12:00:00Z",
    } as const;
    const label = `CachingJob "${urn.split("::").at(-1) ?? ""}"`;
    jobs.push({ urn, label, kind: cachingJob, source: undefined, jobId: id, origin, isOfProvider: true });
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
      new RegExp(`^CachingJob "a": A job for this source exists already: job ${id}, .*Adopt the job`, "s"),
    );
  });

  test("refuses the second declaration of one source", async () => {
    const { run } = await preview();
    await run.foresee(resourceFor("a", "A"));
    await expect(run.foresee(resourceFor("again", "A"))).rejects.toThrow('CachingJob "a" of this program is creating');
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
    const failure = run.foresee(resourceFor("new", "A", {}, now));
    await expect(failure).rejects.toThrow('"old" of this stack has the job for this source');
    await expect(failure).rejects.toThrow(alias);
    await expect(failure).rejects.not.toThrow("Adopt the job");
  });

  test("names the alias of a renamed component", async () => {
    const { service, run, own } = await preview();
    const types = "my:Sales$data-connectivity:index:CachingJob";
    own(service.addJob(cachingBody("A")).id, urnOf("sales-orders", types));
    await expect(run.foresee(resourceFor("revenue-orders", "A", {}, urnOf("revenue-orders", types)))).rejects.toThrow(
      'add to the component\'s options: aliases: [{ name: "sales" }]',
    );
  });

  test("does not refuse a resource that --replace or a taint creates again", async () => {
    const { service, run, own, lines } = await preview();
    own(service.addJob(cachingBody("A")).id, urnOf("a"));
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
      /was not changed\. CachingJob "job1" of this stack has .*The resource that copies this source gets aliases: \[\{ name: "job1" \}\]/s,
    );
  });

  test("lets a resource take the source that another one leaves before it", async () => {
    const { service, run, own, savedFor } = await preview();
    const { id } = service.addJob(cachingBody("A"));
    own(id, urnOf("a"));
    await run.foresee(resourceFor("a", "B"), savedFor("a", "A", id));
    await run.foresee(resourceFor("b", "A"));
  });

  test("refuses an adoption that differs, of no job, or of a job that another resource of the stack has", async () => {
    const { service, run, own } = await preview();
    const [differs, owned] = ["A", "B"].map((table) => service.addJob(cachingBody(table)).id);
    own(owned ?? "", urnOf("owner"));
    const adopting = (table: string, id = "", more = {}) =>
      run.foresee(resourceFor("a", table, { existingJobId: id, ...more }));
    await expect(adopting("A", differs, { intervalValue: 9 })).rejects.toThrow("differs from the declaration");
    await expect(adopting("A", "job-7")).rejects.toThrow("the service has no job job-7");
    await expect(adopting("B", owned)).rejects.toThrow('CachingJob "owner" of this stack has it');
    await adopting("A", differs);
  });

  test("warns of a connection that the service does not list, with the nearest ones", async () => {
    const { run, lines } = await preview();
    const sourceConnection = "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e60";
    await run.foresee(resourceFor("a", "A", { params: { ...declaration.params, sourceConnection } }));
    expect(lines).toEqual([expect.stringMatching(/^CachingJob "a": the service lists no connection .* Nearest: /)]);
  });

  test("says once that a list cannot be had, and refuses nothing", async () => {
    const { run, lines } = await preview({
      options: { faults: [{ kind: "reply", status: 403, on: "list", times: -1 }] },
    });
    for (const table of ["A", "B"]) await run.foresee(resourceFor(table, table));
    expect(lines).toEqual([expect.stringMatching(/not compared with the service: GET .* HTTP 403/)]);
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
