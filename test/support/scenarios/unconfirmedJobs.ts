import {
  created,
  first,
  job,
  lostReply,
  otherService,
  preview,
  refresh,
  service,
  up,
  urn,
  type Scenario,
} from "./scenario.js";

const resendBefore = (DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE: string) => ({
  env: { DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE },
});
const unconfirmed = { outputs: { job: {}, origin: { outcome: "unconfirmed" } } };

const found: Scenario = {
  file: "stayUnconfirmed",
  title: "A create without a reply stays unconfirmed until the job is found and adopted",
  steps: [
    {
      program: job("orders"),
      faults: [{ ...lostReply, processed: true }],
      run: up,
      exitCode: 1,
      posts: 1,
      says: [
        'CachingJob "orders": POST /api/job/create failed',
        "The job may exist or not. It is recorded as unconfirmed-",
        "sourceTable ORDERS, intervalUnit Hour, intervalValue 4",
      ],
      state: { orders: unconfirmed },
    },
    { run: preview, exitCode: 0, says: ['CachingJob "orders": unconfirmed since', "This update will be refused"] },
    {
      program: job("orders", 'intervalValue: 5, params: params({ sourceTable: "S3CRET" })'),
      run: up,
      exitCode: 1,
      says: [
        'CachingJob "orders": nothing was sent. The create is still unconfirmed',
        "intervalValue 4",
        'existingJobId: "<id>"',
        "_RESEND_UNCONFIRMED_BEFORE=",
      ],
      saysNot: ["S3CRET"],
      state: { orders: unconfirmed },
    },
    { run: refresh, exitCode: 0, state: { orders: unconfirmed } },
    {
      program: job("orders", 'existingJobId: "job-1"'),
      run: up,
      exitCode: 0,
      state: { orders: { id: expect.stringMatching(/^unconfirmed-/) as unknown, outputs: { job: { id: "job-1" } } } },
    },
    { run: refresh, exitCode: 0, state: { orders: { id: "job-1" } } },
    { run: up, exitCode: 0, says: ["2 unchanged"], state: { orders: { id: "job-1" } } },
  ],
};

const resend: Scenario = {
  file: "resend",
  title: "An unconfirmed create is resent once for each new value of the variable",
  steps: [
    { program: job("orders"), faults: [lostReply], run: up, exitCode: 1, posts: 1, state: { orders: unconfirmed } },
    {
      ...resendBefore("<T1>"),
      config: { "data-connectivity:baseUrl": otherService },
      run: up,
      exitCode: 1,
      says: [`works only at the place to which it was sent: baseUrl was ${service} and is ${otherService} now.`],
    },
    {
      ...resendBefore("<T1>"),
      config: { "data-connectivity:baseUrl": service },
      faults: [{ kind: "reply", on: "create", status: 400, body: "no such table" }],
      run: up,
      exitCode: 1,
      posts: 1,
      says: ['CachingJob "orders": POST /api/job/create failed with HTTP 400: no such table', "is still unconfirmed"],
      state: { orders: unconfirmed },
    },
    { ...resendBefore("<T1>"), faults: [lostReply], run: up, exitCode: 1, posts: 1, state: { orders: unconfirmed } },
    { ...resendBefore("<T1>"), run: up, exitCode: 1, says: ["is still unconfirmed"], state: { orders: unconfirmed } },
    {
      ...resendBefore("<T2>"),
      run: ["up", "--yes", "--suppress-progress"],
      exitCode: 0,
      posts: 1,
      says: [`This update resends it once to ${service}`],
      state: { orders: { outputs: { job: { id: "job-1" }, origin: { outcome: "created" } } } },
    },
    { run: refresh, exitCode: 0, state: { orders: created } },
  ],
};

const replace: Scenario = {
  file: "replace",
  title: "Only --replace creates a second job, and not while the first is protected",
  steps: [
    first,
    {
      program: job("orders", "intervalValue: 5"),
      run: ["up", "--yes", "--suppress-progress", "--replace", urn("orders")],
      exitCode: 1,
      says: ["marked for protection"],
      state: { orders: created },
    },
    { run: ["state", "unprotect", "--yes", urn("orders")], exitCode: 0 },
    { run: up, exitCode: 1, says: ["intervalValue: 4 → 5"], state: { orders: { ...created, protect: false } } },
    {
      run: ["up", "--yes", "--suppress-progress", "--replace", urn("orders")],
      exitCode: 0,
      posts: 1,
      says: ["[retain]", "1 replaced"],
      state: { orders: { id: "job-2", protect: true, outputs: { intervalValue: 5 } } },
    },
  ],
};

const leaving: Scenario = {
  file: "leave",
  title: "A job leaves the stack only when it is unprotected, and no delete is sent",
  steps: [
    { program: job("orders"), run: up, exitCode: 0, posts: 1 },
    {
      program: `${job("orders")} ${job("items", "", "retainOnDelete: false, protect: false")}`,
      run: up,
      exitCode: 0,
      posts: 1,
    },
    {
      program: job("items", "", "retainOnDelete: false, protect: false"),
      run: preview,
      exitCode: 1,
      says: ["protected"],
    },
    { run: ["state", "unprotect", "--yes", urn("orders")], exitCode: 0 },
    { run: ["up", "--yes", "--suppress-progress"], exitCode: 0, says: ["delete[retain]"], state: { items: {} } },
    {
      program: "",
      run: up,
      exitCode: 1,
      says: [
        'CachingJob "items": the service documents no way to delete a job. Job job-2',
        "pulumi state delete '<urn>'",
      ],
      state: { items: { id: "job-2" } },
    },
    {
      program: `${job("items", "", "protect: false")} ${job("lost", "", "retainOnDelete: false, protect: false")}`,
      faults: [lostReply],
      run: up,
      exitCode: 1,
      posts: 1,
      state: { items: {}, lost: unconfirmed },
    },
    {
      program: "",
      run: up,
      exitCode: 0,
      says: ['CachingJob "lost": unconfirmed-', "leaves the stack. Its create, sent to"],
      state: {},
    },
  ],
};

/** The rows for an unconfirmed create, and for a job that leaves the stack. */
export const scenariosOfUnconfirmedJobs: readonly Scenario[] = [found, resend, replace, leaving];
