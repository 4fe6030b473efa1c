import { created, inComponent, job, lostReply, optIn, preview, refresh, up, urn, type Scenario } from "./scenario.js";

const changed = job("orders", "intervalValue: 6");
const withInterval = (intervalValue: number) => ({ outputs: { intervalValue, job: { intervalValue } } });

const change: Scenario = {
  file: "changeInPlace",
  title: "A job is changed in place, and a change at the service is shown and changed back",
  steps: [
    optIn,
    { program: changed, run: [...preview, "--diff"], exitCode: 0, says: ["intervalValue: 4 => 6"] },
    { run: up, exitCode: 0, says: ["1 updated"], state: { orders: { id: "job-1", ...withInterval(6) } } },
    { run: up, exitCode: 0, says: ["2 unchanged"] },
    {
      atService: { job: "job-1", changes: { intervalValue: 9 } },
      run: [...refresh, "--diff"],
      exitCode: 0,
      says: ["intervalValue: 6 => 9"],
      state: { orders: { id: "job-1", ...withInterval(9) } },
    },
    { run: refresh, exitCode: 0, says: ["2 unchanged"] },
    { run: up, exitCode: 0, says: ["1 updated"], state: { orders: { id: "job-1", ...withInterval(6) } } },
  ],
};

const deletion: Scenario = {
  file: "deleteAndCreateAgain",
  title: "A job that is gone is created again, one that is replaced is deleted first, and a removed one is deleted",
  steps: [
    optIn,
    { atService: { job: "job-1", removed: true }, run: refresh, exitCode: 0, state: {} },
    { run: up, exitCode: 0, posts: 1, state: { orders: { id: "job-2" } } },
    {
      run: ["up", "--yes", "--suppress-progress", "--replace", urn("orders")],
      exitCode: 0,
      posts: 1,
      says: ["1 replaced"],
      state: { orders: { id: "job-3" } },
    },
    { program: "", run: up, exitCode: 0, says: ["1 deleted"], state: {} },
  ],
};

const secondJob: Scenario = {
  file: "secondJob",
  title: "A second job for one source is refused, and a job passes to another resource only as it is declared",
  steps: [
    optIn,
    {
      program: `${job("orders")} ${job("items")}`,
      run: up,
      exitCode: 1,
      // Whether the engine compares `orders` before it creates `items` is chance, and with it who is said to have the job.
      says: ["job job-1, every 4 Hour"],
      state: { orders: { id: "job-1" } },
    },
    {
      program: job("items", 'intervalValue: 5, existingJobId: "job-1"'),
      run: up,
      exitCode: 1,
      says: ["intervalValue: 4 at the service, 5 declared"],
      state: { orders: { id: "job-1" } },
    },
    {
      program: job("items", 'existingJobId: "job-1"'),
      run: up,
      exitCode: 0,
      says: ["belongs to another resource of this program now"],
      state: { items: { id: "job-1", outputs: { job: { intervalValue: 4 }, origin: { outcome: "adopted" } } } },
    },
  ],
};

const lost: Scenario = {
  file: "lostReplyFound",
  title: "A create whose answer is lost is found in the same run",
  steps: [
    {
      ...optIn,
      faults: [{ ...lostReply, processed: true }],
      says: ["is new and as declared: it is recorded as created"],
    },
    { run: up, exitCode: 0, says: ["2 unchanged"] },
  ],
};

const retained: Scenario = {
  file: "retainedByComponent",
  title: "A job that a component retains is not deleted with it",
  steps: [
    {
      ...optIn,
      program: inComponent("retainOnDelete: true", job("orders", "", "parent")),
      state: { orders: { ...created, protect: false, retainOnDelete: true } },
    },
    { program: "", run: up, exitCode: 0, state: {} },
    { program: job("orders"), run: up, exitCode: 1, says: ["exists already: job job-1"], state: {} },
  ],
};

/** What a stack does that opted in to all job operations. */
export const scenariosWithAll: readonly Scenario[] = [change, deletion, secondJob, lost, retained];
