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

/** A table of the same name in another schema. */
const inSchema = (sourceSchema: string) => ofTable("ORDERS", { sourceSchema });

const refusal: SharedScenario = {
  file: "refuse",
  title: "A change is refused at preview and at up, with the possible fixes",
  steps: [
    first,
    {
      program: secretChange,
      run: preview,
      exitCode: 1,
      says: ['CachingJob "orders": the declaration differs from job job-1', "intervalValue: 4 → 5", "may be secret"],
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
      says: [`  baseUrl: ${service} → ${otherService}`],
    },
    { run: [...refresh, "--run-program"], says: ["no way to read a job"], state: { orders: created } },
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
        'params.sourceTable: "ORDERS" → "ORDERS_NEW"',
      ],
      withPlugin: [{ says: ["the declaration differs from job job-2", "params.sourceTable"] }],
    },
    {
      program: {
        ...orders(),
        sales: caching(inSchema("SALES")),
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
        sales: caching(inSchema("SALES")),
        staff: caching(inSchema("STAFF")),
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

/** The scenarios for a job that the state knows. */
export const scenariosOfKnownJobs = onBothHosts([refusal, unknowns]);
