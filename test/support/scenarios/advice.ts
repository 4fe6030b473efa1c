import { adopting, namingForOneRun, onBothHosts, type SharedScenario, type SharedStep } from "./bothHosts.js";
import { caching, lostReply, ofTable, optIn, orders, otherService, refresh, service, urn } from "./scenario.js";
import { resending } from "../resending.js";

const firstJob = { existingJobId: "job-1" };
const secondJob = { existingJobId: "job-2" };
const saved = (id: string, more: object = {}) => ({ orders: { id, ...more } });

const forget = (name: string, urnOf = urn(name)): SharedStep => ({
  run: ["state", "delete", urnOf, "--force", "--yes"],
});

const sources: SharedScenario = {
  file: "adviceOfSources",
  title: "A job that has the source already is adopted, recognized by an alias, or deleted at the service",
  steps: [
    optIn,
    forget("orders"),
    {
      exitCode: 1,
      says: ["exists already: job job-1", adopting("job-1"), 'aliases: [{ name: "<old name>" }]'],
      state: {},
    },
    { program: orders(firstJob), state: saved("job-1") },
    { program: { sales: caching() }, exitCode: 1, says: ["job for this source", "job job-1"], state: saved("job-1") },
    { program: { sales: caching({}, { aliases: [{ name: "orders" }] }) }, state: { sales: { id: "job-1" } } },
    forget("sales"),
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
      says: ["Undo the change.", "changedAtService"],
    },
    { run: refresh, exitCode: 1, says: ["Correct data-connectivity:baseUrl"], state: saved("job-1") },
    { config: { "data-connectivity:baseUrl": service }, says: ["2 unchanged"] },
    { run: refresh, state: saved("job-1") },
    { program: { ...orders(), items: caching(items) }, posts: 1 },
    forget("items"),
    {
      program: orders({ ...items, ...secondJob }),
      exitCode: 1,
      says: ["declare job job-2 as a new resource and remove this one"],
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

const unconfirmed = { outputs: { origin: { outcome: "unconfirmed" } } };
const destroy = ["destroy", "--yes", "--skip-preview", "--suppress-progress"];
const resendNow = { env: resending("<T1>", urn("orders")) };

/** A create makes its job, but its answer is lost, and then looking for the job fails. */
const lost: SharedStep = {
  config: { "data-connectivity:jobOperations": "all", "data-connectivity:timeoutSeconds": "3" },
  program: orders(),
  faults: [
    { ...lostReply, processed: true },
    { kind: "reply", status: 400, on: "list", after: 1, times: 2 },
  ],
  exitCode: 1,
  posts: 1,
  says: ["Wait until 20", "then run pulumi up", namingForOneRun],
  state: { orders: unconfirmed },
};

/** Someone changes the job before the stack looks for it. */
const unclear = (id: string): SharedStep => ({
  atService: { job: id, changes: { intervalValue: 9 } },
  exitCode: 1,
  says: [namingForOneRun, `nobody needs ${id}: delete ${id} at the service`],
  state: { orders: unconfirmed },
});

const replaceOnChanges = ["intervalValue"];

const adopted: SharedScenario = {
  file: "adviceOfAdoption",
  title: "A job that may be that of an unconfirmed create is declared as it is, adopted, then changed and replaced",
  steps: [
    lost,
    unclear("job-1"),
    {
      program: orders(firstJob),
      exitCode: 1,
      says: ["Declare the values that the service has, and run pulumi up."],
      state: { orders: unconfirmed },
    },
    { program: orders({ ...firstJob, intervalValue: 9 }), says: ["1 updated"] },
    { program: orders(firstJob), says: ["1 updated"] },
    { run: refresh, state: { orders: { id: "job-1", outputs: { job: { intervalValue: 4 } } } } },
    {
      program: orders({ ...firstJob, intervalValue: 5 }, { replaceOnChanges }),
      exitCode: 1,
      says: ["job job-1 was not deleted and stays in the state", "remove existingJobId", "undo what replaces it"],
      state: { orders: { id: "job-1" } },
    },
    { program: orders(firstJob), says: ["2 unchanged"] },
    {
      program: orders({ intervalValue: 5 }, { replaceOnChanges }),
      posts: 1,
      says: ["1 replaced"],
      state: { orders: { id: "job-2" } },
    },
  ],
};

const forgotten: SharedScenario = {
  file: "adviceOfDestroy",
  title: "An unconfirmed create is taken in by a refresh and then deleted, or resent when its job is gone",
  steps: [
    lost,
    {
      run: destroy,
      exitCode: 1,
      says: ["nothing was deleted", "run pulumi refresh", "Then run the failed command again"],
      state: { orders: unconfirmed },
    },
    { run: refresh, says: ["It is recorded as created"], state: { orders: { id: "job-1" } } },
    { run: destroy, state: {} },
    lost,
    unclear("job-2"),
    {
      atService: { job: "job-2", removed: true },
      exitCode: 1,
      says: ["Wait until 20"],
      state: { orders: unconfirmed },
    },
    { ...resendNow, posts: 1 },
    { run: refresh, state: { orders: { id: "job-3" } } },
  ],
};

/** The scenarios for each way out that messages in mode `all` offer. */
export const scenariosOfAdvice = onBothHosts([sources, moved, adopted, forgotten]);
