import { namingForOneRun, onBothHosts, type SharedScenario } from "./bothHosts.js";
import {
  caching,
  created,
  first,
  lostReply,
  ofTable,
  orders,
  otherService,
  preview,
  refresh,
  service,
  urn,
  withPreview,
} from "./scenario.js";
import { resending } from "../resending.js";

const resendBefore = (time: string) => ({ env: resending(time, urn("orders")) });
const unconfirmed = { outputs: { job: {}, origin: { outcome: "unconfirmed" } } };

const found: SharedScenario = {
  file: "stayUnconfirmed",
  title: "A create without a reply stays unconfirmed until the job is found and adopted",
  steps: [
    {
      program: orders(),
      faults: [{ ...lostReply, processed: true }],
      exitCode: 1,
      posts: 1,
      says: ["The resource is recorded as unconfirmed-", "sourceTable ORDERS, intervalUnit Hour, intervalValue 4"],
      state: { orders: unconfirmed },
    },
    { run: preview, exitCode: 1, says: ['CachingJob "orders": nothing was sent. Its create is still unconfirmed'] },
    {
      program: orders({ intervalValue: 5, ...ofTable("S3CRET") }),
      exitCode: 1,
      says: [
        'CachingJob "orders": nothing was sent. Its create is still unconfirmed',
        "intervalValue 4",
        namingForOneRun,
        "sourceTable S3CRET, intervalUnit Hour, intervalValue 5, logVerbosity 2, as declared now. Look for that one too.",
      ],
      state: { orders: unconfirmed },
    },
    { run: refresh, state: { orders: unconfirmed } },
    {
      program: orders({ existingJobId: "job-1" }),
      state: { orders: { id: expect.stringMatching(/^unconfirmed-/) as unknown, outputs: { job: { id: "job-1" } } } },
    },
    { run: refresh, state: { orders: { id: "job-1" } } },
    { says: ["2 unchanged"], state: { orders: { id: "job-1" } } },
  ],
};

const resend: SharedScenario = {
  file: "resend",
  title: "An unconfirmed create is resent once for each new value of the variable",
  steps: [
    { program: orders(), faults: [lostReply], exitCode: 1, posts: 1, state: { orders: unconfirmed } },
    {
      ...resendBefore("<T1>"),
      config: { "data-connectivity:baseUrl": otherService },
      exitCode: 1,
      says: [`A resend works only if baseUrl is ${service} again, as for the first create. It is ${otherService} now,`],
    },
    { config: { "data-connectivity:baseUrl": service }, exitCode: 1, says: ["is still unconfirmed"] },
    {
      ...resendBefore("<T2>"),
      faults: [{ kind: "reply", on: "create", status: 400, body: "no such table" }],
      exitCode: 1,
      posts: 1,
      says: ["its unconfirmed create was resent", "is still unconfirmed"],
      state: { orders: unconfirmed },
    },
    { ...resendBefore("<T2>"), exitCode: 1, says: ["a run may have used that time already"] },
    { ...resendBefore("<T3>"), faults: [lostReply], exitCode: 1, posts: 1, state: { orders: unconfirmed } },
    {
      ...resendBefore("<T3>"),
      exitCode: 1,
      says: ["is still unconfirmed", ", resent at "],
      state: { orders: unconfirmed },
    },
    {
      ...resendBefore("<T4>"),
      run: withPreview,
      posts: 1,
      says: [`This update resends it once to ${service}`],
      state: { orders: { outputs: { job: { id: "job-1" }, origin: { outcome: "created" } } } },
    },
    { run: refresh, state: { orders: created } },
  ],
};

const replace: SharedScenario = {
  file: "replace",
  title: "Only a taint creates a second job, and not while the first is protected",
  steps: [
    first,
    {
      program: orders({ intervalValue: 5 }),
      run: [...withPreview, "--replace", urn("orders")],
      exitCode: 1,
      says: ["this run would replace the resource, which creates a second job", "pulumi state taint --yes 'urn:"],
      state: { orders: created },
    },
    { run: ["state", "taint", "--yes", urn("orders")] },
    { run: withPreview, exitCode: 1, says: ["marked for protection"], state: { orders: created } },
    { run: ["state", "untaint", "--yes", urn("orders")] },
    { run: ["state", "unprotect", "--yes", urn("orders")] },
    { exitCode: 1, says: ["intervalValue: 4 → 5"], state: { orders: { ...created, protect: false } } },
    { run: ["state", "taint", "--yes", urn("orders")] },
    {
      run: withPreview,
      posts: 1,
      says: ["[retain]", "1 replaced"],
      state: { orders: { id: "job-2", protect: true, outputs: { intervalValue: 5 } } },
    },
  ],
};

const free = { protect: false, retainOnDelete: false };

const leaving: SharedScenario = {
  file: "leave",
  title: "A job leaves the stack only when it is unprotected, and no delete is sent",
  steps: [
    { program: orders(), posts: 1 },
    { program: { ...orders(), items: caching(ofTable("ITEMS"), free) }, posts: 1 },
    {
      program: { items: caching(ofTable("ITEMS"), free) },
      run: preview,
      exitCode: 1,
      says: ["protected"],
    },
    { run: ["state", "unprotect", "--yes", urn("orders")] },
    { run: withPreview, says: ["delete[retain]"], state: { items: {} } },
    {
      program: {},
      exitCode: 1,
      says: ['CachingJob "items": the service documents no way to delete a job. Job job-2'],
      state: { items: { id: "job-2" } },
    },
    { program: { items: caching(ofTable("ITEMS"), { protect: false }) }, state: { items: { id: "job-2" } } },
    { program: {}, state: {} },
    { program: { lost: caching({}, free) }, faults: [lostReply], exitCode: 1, posts: 1, state: { lost: unconfirmed } },
    {
      program: {},
      says: ['CachingJob "lost": unconfirmed-', "leaves the stack. Its create, sent to"],
      state: {},
      // The classes forget the resource because of its options. A plugin gets no options in any call.
      withPlugin: [{ exitCode: 1, says: ["the resource stays in the stack's state"], state: { lost: unconfirmed } }],
    },
  ],
};

/** The scenarios for an unconfirmed create, and for a job that leaves the stack. */
export const scenariosOfUnconfirmedJobs = onBothHosts([found, resend, replace, leaving]);
