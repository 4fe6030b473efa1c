import { onBothHosts, type SharedScenario } from "./bothHosts.js";
import { caching, created, inTeam, lostReply, optIn, orders, preview, refresh, urn, withPreview } from "./scenario.js";

const changed = orders({ intervalValue: 6 });
const withInterval = (intervalValue: number) => ({ outputs: { intervalValue, job: { intervalValue } } });

const change: SharedScenario = {
  file: "changeInPlace",
  title: "A job whose answer is lost is found, changed in place, and a change at the service is shown and changed back",
  steps: [
    {
      ...optIn,
      faults: [{ ...lostReply, processed: true }],
      says: ["is new and matches the declaration, so it is recorded as created"],
    },
    { says: ["2 unchanged"] },
    { program: changed, run: [...preview, "--diff"], says: ["intervalValue: 4 => 6"], saysNot: ["origin"] },
    { says: ["1 updated"], state: { orders: { id: "job-1", ...withInterval(6) } } },
    { says: ["2 unchanged"] },
    {
      atService: { job: "job-1", changes: { intervalValue: 9 } },
      run: [...refresh, "--diff"],
      says: ["intervalValue: 6 => 9"],
      state: { orders: { id: "job-1", ...withInterval(9) } },
    },
    { run: refresh, says: ["2 unchanged"] },
    { says: ["1 updated"], state: { orders: { id: "job-1", ...withInterval(6) } } },
  ],
};

const deletion: SharedScenario = {
  file: "deleteAndCreateAgain",
  title: "A job that is gone is created again, one that is replaced is deleted first, and a removed one is deleted",
  steps: [
    optIn,
    { atService: { job: "job-1", removed: true }, run: refresh, state: {} },
    { posts: 1, state: { orders: { id: "job-2" } } },
    {
      run: [...withPreview, "--replace", urn("orders")],
      posts: 1,
      says: ["1 replaced"],
      state: { orders: { id: "job-3" } },
      // The classes set deleteBeforeReplace by themselves.
      withPlugin: [{ program: orders({}, { deleteBeforeReplace: true }) }],
    },
    { program: {}, says: ["1 deleted"], state: {} },
  ],
};

const secondJob: SharedScenario = {
  file: "secondJob",
  title: "A second job for one source is refused, and a job passes to another resource only as it is declared",
  steps: [
    optIn,
    {
      program: { ...orders(), items: caching() },
      exitCode: 1,
      // The engine may compare `orders` before or after it creates `items`, so the message may name either resource as
      // the one that has the job.
      says: ["job for this source", "job job-1"],
      state: { orders: { id: "job-1" } },
    },
    {
      program: { items: caching({ intervalValue: 5, existingJobId: "job-1" }) },
      exitCode: 1,
      says: ["intervalValue: 4 at the service, 5 declared"],
      state: { orders: { id: "job-1" } },
    },
    {
      program: { items: caching({ existingJobId: "job-1" }) },
      says: ["another resource of this stack (CachingJob"],
      state: { items: { id: "job-1", outputs: { job: { intervalValue: 4 }, origin: { outcome: "adopted" } } } },
    },
  ],
};

const retained: SharedScenario = {
  file: "retainedByComponent",
  title: "A job that a component retains is not deleted with it",
  steps: [
    {
      ...optIn,
      program: inTeam(orders(), { retainOnDelete: true }),
      state: { orders: { ...created, protect: false, retainOnDelete: true } },
      // A YAML program has no components, so the job has the option.
      withPlugin: [{ program: orders({}, { retainOnDelete: true }) }],
    },
    { program: {}, state: {} },
    { program: orders(), exitCode: 1, says: ["exists already: job job-1"], state: {} },
  ],
};

/** What a stack with all job operations does. */
export const scenariosWithAll = onBothHosts([change, deletion, secondJob, retained]);
