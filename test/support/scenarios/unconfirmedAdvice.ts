import { adopting, onBothHosts, type SharedScenario, type SharedStep } from "./bothHosts.js";
import { lostReply, orders, refresh } from "./scenario.js";

const unconfirmed = { outputs: { origin: { outcome: "unconfirmed" } } };
const destroy = ["destroy", "--yes", "--skip-preview", "--suppress-progress"];
const resendNow = { env: { DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE: "<T1>" } };

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
  says: ["Wait two minutes", "then run pulumi up", adopting("<id>"), "_RESEND_UNCONFIRMED_BEFORE="],
  state: { orders: unconfirmed },
};

/** Someone changes the job before the stack looks for it. */
const unclear = (id: string): SharedStep => ({
  atService: { job: id, changes: { intervalValue: 9 } },
  exitCode: 1,
  says: [
    `Job ${id} at the service could be from this create: only you can tell.`,
    adopting("<id>"),
    "nobody needs the job with the same source",
  ],
  state: { orders: unconfirmed },
});

const firstJob = { existingJobId: "job-1" };
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
      says: [
        "intervalValue: 9 at the service, 4 declared",
        "Declare the values that the service has, and run pulumi up.",
      ],
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
      says: ["nothing was deleted", "then run pulumi refresh", "Then run the failed command again"],
      state: { orders: unconfirmed },
    },
    { run: refresh, says: ["It is recorded as created"], state: { orders: { id: "job-1" } } },
    { run: destroy, state: {} },
    lost,
    unclear("job-2"),
    {
      atService: { job: "job-2", removed: true },
      exitCode: 1,
      says: ["Wait two minutes"],
      state: { orders: unconfirmed },
    },
    { ...resendNow, posts: 1 },
    { run: refresh, state: { orders: { id: "job-3" } } },
  ],
};

/** The scenarios for each way out that the messages of `jobOperations: all` offer for unconfirmed creates. */
export const scenariosOfUnconfirmedAdvice = onBothHosts([adopted, forgotten]);
