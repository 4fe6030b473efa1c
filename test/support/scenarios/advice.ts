import { adopting, onBothHosts, type SharedScenario, type SharedStep } from "./bothHosts.js";
import { caching, ofTable, optIn, orders, otherService, query, refresh, service, urn } from "./scenario.js";

const firstJob = { existingJobId: "job-1" };
const secondJob = { existingJobId: "job-2" };
const saved = (id: string, more: object = {}) => ({ orders: { id, ...more } });
const withInterval = (intervalValue: number) => ({ outputs: { intervalValue, job: { intervalValue } } });
const mode = (name: string) => ({ config: { "data-connectivity:jobOperations": name } });
const interval = (intervalValue: number) => orders({ intervalValue });

const forget = (name: string, urnOf = urn(name)): SharedStep[] => [
  { run: ["state", "unprotect", urnOf, "--yes"] },
  { run: ["state", "delete", urnOf, "--yes"] },
];
const forgetIsSaid = ["pulumi state unprotect --yes '<urn>'", "pulumi state delete --yes '<urn>'"];

const sources: SharedScenario = {
  file: "adviceOfSources",
  title: "A job that has the source already is adopted, recognized by an alias, or deleted at the service",
  steps: [
    optIn,
    ...forget("orders"),
    {
      exitCode: 1,
      says: [
        "exists already: job job-1",
        adopting("job-1"),
        'aliases: [{ name: "<old name>" }]',
        "Delete the job at the service",
      ],
      state: {},
    },
    { program: orders(firstJob), state: saved("job-1") },
    { program: { sales: caching() }, exitCode: 1, says: ["job job-1, interval: 4 Hour"], state: saved("job-1") },
    { program: { sales: caching({}, { aliases: [{ name: "orders" }] }) }, state: { sales: { id: "job-1" } } },
    ...forget("sales"),
    { program: orders(), exitCode: 1, says: ["exists already: job job-1"], state: {} },
    { atService: { job: "job-1", removed: true }, posts: 1, state: saved("job-2") },
  ],
};

const items = ofTable("ITEMS");
const moved: SharedScenario = {
  file: "adviceOfMoves",
  title: "A job at another address is found again when the address is set back, and a job passes to a new resource",
  steps: [
    optIn,
    {
      config: { "data-connectivity:baseUrl": otherService },
      exitCode: 1,
      says: ["this change is not possible", "Undo the change.", "changedAtService"],
    },
    { run: refresh, exitCode: 1, says: ["Restore data-connectivity:baseUrl"], state: saved("job-1") },
    { config: { "data-connectivity:baseUrl": service }, says: ["2 unchanged"] },
    { run: refresh, state: saved("job-1") },
    { program: { ...orders(), items: caching(items) }, posts: 1 },
    ...forget("items"),
    {
      program: orders({ ...items, ...secondJob }),
      exitCode: 1,
      says: ["this change is not possible", "Declare a new resource with another name and the new existingJobId"],
      state: saved("job-1"),
    },
    { program: { items: caching({ ...items, ...secondJob }) }, says: ["1 deleted"], state: { items: { id: "job-2" } } },
    {
      config: { "data-connectivity:baseUrl": otherService },
      program: { items: caching({ ...items, ...secondJob, changedAtService: "moved" }) },
      state: { items: { id: "job-2", outputs: { origin: { baseUrl: otherService } } } },
    },
  ],
};

const strangers: SharedScenario = {
  file: "adviceOfStrangers",
  title: "A job that was adopted unseen and is another one leaves the state, and the declared job is created",
  steps: [
    { ...mode("create"), program: { totals: query() }, posts: 1 },
    ...forget("totals", urn("totals").replace("CachingJob", "ScheduledQueryJob")),
    { program: { ...orders(firstJob), items: caching(items) }, posts: 1 },
    ...forget("items"),
    {
      ...mode("all"),
      program: orders({ intervalValue: 6, ...firstJob }),
      exitCode: 1,
      says: ["job job-1 is of type", "the state stays as it is", ...forgetIsSaid],
    },
    ...forget("orders"),
    { ...mode("create"), program: orders(secondJob) },
    {
      ...mode("all"),
      program: orders({ intervalValue: 6, ...secondJob }),
      exitCode: 1,
      says: ["job job-2 was adopted without being read", ...forgetIsSaid],
    },
    ...forget("orders"),
    { program: interval(6), posts: 1, state: saved("job-3", withInterval(6)) },
  ],
};

/** The scenarios for each way out that the messages of `jobOperations: all` offer for known jobs. */
export const scenariosOfAdvice = onBothHosts([sources, moved, strangers]);
