import type { JsonObject } from "../../../provider/src/json.js";
import { onBothHosts, type SharedScenario } from "./bothHosts.js";
import {
  caching,
  created,
  first,
  ofTable,
  orders,
  otherService,
  preview,
  refresh,
  secret,
  service,
  withPreview,
} from "./scenario.js";

const secretChange = orders({ intervalValue: 5, ...ofTable(secret("S3CRET")) });

const refusal: SharedScenario = {
  file: "refuse",
  title: "A change is refused at preview and at up, with the possible fixes",
  steps: [
    first,
    {
      program: secretChange,
      run: preview,
      exitCode: 1,
      says: [
        `CachingJob "orders": the declaration differs from job job-1 at ${service}, and the service documents no way to change a job:`,
        "  intervalValue: 4 → 5",
        "  params.sourceTable (values are not shown: they may be secret)",
        "Nothing was sent, and job job-1 keeps running as it was declared before. Do one of these:",
        "  - Undo the change.",
        'ignoreChanges: ["intervalValue", "params.sourceTable"] (Python: ignore_changes)',
        "match the declaration, then confirm that in the declaration: changedAtService",
        "pulumi up --replace '<urn>'",
        "The run ends at the first refused job, so other jobs may differ too.",
      ],
      saysNot: ["S3CRET"],
    },
    {
      program: orders(ofTable("ITEMS")),
      run: preview,
      exitCode: 1,
      says: ['  params.sourceTable: "ORDERS" → "ITEMS"'],
    },
    {
      program: secretChange,
      exitCode: 1,
      says: ["intervalValue: 4 → 5"],
      saysNot: ["S3CRET"],
      state: { orders: created },
    },
    {
      program: orders(),
      config: { "data-connectivity:baseUrl": otherService },
      run: preview,
      exitCode: 1,
      says: [
        `  baseUrl: ${service} → ${otherService}`,
        "Undo the change. If the program did not change, the settings did: data-connectivity:baseUrl.",
      ],
      saysNot: ["ignoreChanges"],
    },
    { run: [...refresh, "--run-program"], says: ["no way to read a job"], state: { orders: created } },
  ],
};

const changedAtService: SharedScenario = {
  file: "recordAsDeclared",
  title: "A change that the user made at the service is recorded for each new changedAtService",
  steps: [
    first,
    {
      program: orders({ intervalValue: 5, changedAtService: "May" }),
      run: withPreview,
      says: ["1 updated", 'CachingJob "orders": this update sends nothing. Job job-1 is recorded as declared'],
      state: { orders: { id: "job-1", outputs: { intervalValue: 5, job: { intervalValue: 4 } } } },
    },
    {
      program: orders({ intervalValue: 6, changedAtService: "May" }),
      run: preview,
      exitCode: 1,
      says: ["intervalValue: 5 → 6"],
    },
    {
      program: orders({ intervalValue: 6, changedAtService: "June" }),
      state: { orders: { id: "job-1", outputs: { intervalValue: 6, changedAtService: "June" } } },
    },
    {
      program: orders({ intervalValue: 6, changedAtService: "July" }),
      config: { "data-connectivity:baseUrl": otherService },
      state: { orders: { id: "job-1", outputs: { origin: { outcome: "created", baseUrl: otherService } } } },
    },
  ],
};

const twoJobs = (definedNextRun: JsonObject, suffix: string) => ({
  ...orders(definedNextRun),
  items: caching(ofTable(`\${orders.job.name}${suffix}`)),
});

const unknowns: SharedScenario = {
  file: "decideDuringUp",
  title: "A value that is unknown in the preview is decided during the update",
  steps: [
    { program: twoJobs({}, ""), posts: 2 },
    {
      program: twoJobs({ definedNextRun: "2030-01-01T00:00:00Z" }, ""),
      run: withPreview,
      says: ['CachingJob "items": params is known only during pulumi up.'],
      // With the plugin, a change that sends nothing leaves the resource's outputs known.
      withPlugin: [{ says: ["this update sends nothing"], saysNot: ["known only"] }],
      state: { orders: { id: "job-1" }, items: { id: "job-2" } },
    },
    {
      program: twoJobs({}, "_NEW"),
      run: withPreview,
      exitCode: 1,
      says: [
        'CachingJob "items": params is known only during pulumi up.',
        "the declaration differs from job job-2",
        "params.sourceTable",
      ],
      saysNot: ["_NEW"],
      withPlugin: [{ says: ["the declaration differs from job job-2", "params.sourceTable"], saysNot: [] }],
    },
    {
      program: {
        ...orders(),
        sales: caching({ intervalValue: 5 }),
        items: caching(ofTable("${sales.job.name}")),
      },
      run: withPreview,
      posts: 1,
      says: ['CachingJob "items": params is known only during pulumi up.'],
      state: { orders: { id: "job-1" }, items: { id: "job-2" }, sales: { id: "job-3" } },
    },
    {
      program: {
        ...orders(),
        sales: caching({ intervalValue: 5 }),
        staff: caching({ intervalValue: 6 }),
        items: caching(ofTable("${staff.job.name}_NEW")),
      },
      run: withPreview,
      exitCode: 1,
      posts: 1,
      says: [
        'CachingJob "items": params is known only during pulumi up.',
        "the declaration differs from job job-2",
        "params.sourceTable",
      ],
      state: { orders: { id: "job-1" }, items: { id: "job-2" }, sales: { id: "job-3" }, staff: { id: "job-4" } },
    },
  ],
};

const recordOnly: SharedScenario = {
  file: "recordOnly",
  title: "Inputs that do not affect an existing job are recorded and not sent",
  steps: [
    first,
    {
      program: orders({ definedNextRun: "2030-01-01T00:00:00Z", existingJobId: "job-1", account: "main" }),
      config: { "data-connectivity:account": "main" },
      run: withPreview,
      says: ["1 to update", "1 updated", 'CachingJob "orders": this update sends nothing. The change is only recorded'],
      state: { orders: { outputs: { existingJobId: "job-1", origin: { outcome: "created", account: "main" } } } },
    },
    { program: orders(), says: ["1 updated"], state: { orders: created } },
  ],
};

const unchanged: SharedScenario = {
  file: "unchanged",
  title: "The same declaration written differently is unchanged",
  steps: [
    { ...first, program: orders({ definedNextRun: "2030-01-01T00:00:00Z" }) },
    {
      program: orders({
        definedNextRun: "2030-01-01T02:00:00.0000000+02:00",
        enabled: true,
        additionalParams: {},
        changedAtService: "",
        ...ofTable("ORDERS", { timeCheckColumn: "", autoTruncateStrings: false }),
      }),
      run: withPreview,
      says: ["2 unchanged"],
      state: { orders: created },
    },
  ],
};

const adoption: SharedScenario = {
  file: "adoptNew",
  title: "An existing job is adopted by its id",
  steps: [
    {
      program: orders({ existingJobId: "77" }),
      run: withPreview,
      says: ['CachingJob "orders": job 77 is adopted. Nothing is sent, and nothing checks that the job exists.'],
      state: { orders: { id: "77", outputs: { job: { id: "77" }, origin: { outcome: "adopted", baseUrl: service } } } },
    },
    {
      program: orders({ existingJobId: "78" }),
      run: preview,
      exitCode: 1,
      says: ["existingJobId: 77 → 78", "If job 78 matches the declaration and is to replace job 77 in this stack"],
      saysNot: ["second job"],
    },
    {
      program: orders({ existingJobId: "78", changedAtService: "May" }),
      state: { orders: { id: "77", outputs: { job: { id: "78" } } } },
    },
    { run: refresh, state: { orders: { id: "78" } } },
  ],
};

/** The scenarios for a job that the state knows. */
export const scenariosOfKnownJobs = onBothHosts([refusal, changedAtService, unknowns, recordOnly, unchanged, adoption]);
