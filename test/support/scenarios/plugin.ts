import {
  caching,
  lostReply,
  ofTable,
  orders,
  preview,
  refresh,
  secret,
  withPreview,
  withPlugin,
  type Scenario,
  type ScenarioOf,
  type Step,
} from "./scenario.js";

const type = "data-connectivity:index:CachingJob";
const urn = (name: string) => `urn:pulumi:test::acceptance::${type}::${name}`;
const hidden = ofTable(secret("S3CRET"));
const unconfirmed = { outputs: { job: {}, origin: { outcome: "unconfirmed" } } };

const all: ScenarioOf<Step> = {
  file: "all",
  title: "With all operations a job is created, changed, repaired, imported and deleted",
  steps: [
    {
      config: { "data-connectivity:jobOperations": "all" },
      program: orders(hidden),
      run: withPreview,
      posts: 1,
      saysNot: ["S3CRET"],
      state: { orders: { id: "job-1", outputs: { jobId: "job-1" } } },
    },
    {
      program: {
        ...orders({ intervalValue: 6, ...hidden }),
        items: caching(ofTable("ITEMS"), { dependsOn: ["${orders}"] }),
      },
      run: [...withPreview, "--diff"],
      posts: 1,
      says: ["~ intervalValue: 4 => 6", "1 updated"],
      saysNot: ["S3CRET"],
      state: { items: { id: "job-2" }, orders: { id: "job-1", outputs: { intervalValue: 6, jobId: "job-1" } } },
    },
    { run: withPreview, says: ["3 unchanged"] },
    {
      atService: { job: "job-1", changes: { intervalValue: 9 } },
      run: [...refresh, "--diff"],
      says: ["~ intervalValue: 6 => 9"],
      state: { items: { id: "job-2" }, orders: { id: "job-1", outputs: { intervalValue: 9 } } },
    },
    { run: withPreview, says: ["1 updated"] },
    { run: ["state", "delete", "--yes", urn("items")] },
    {
      run: ["import", type, "items", "job-2", "--yes", "--protect=false", "--suppress-progress"],
      says: ["1 imported"],
      state: { items: { id: "job-2", outputs: { origin: { outcome: "adopted" } } }, orders: { id: "job-1" } },
    },
    { run: [...preview, "--expect-no-changes"] },
    {
      run: [...withPreview, "--replace", urn("orders")],
      exitCode: 1,
      says: ["job-1", "the create was not sent"],
    },
    {
      program: orders({ intervalValue: 6, ...hidden }, { deleteBeforeReplace: true }),
      run: [...withPreview, "--replace", urn("orders")],
      posts: 1,
      says: ["1 replaced", "1 deleted"],
      state: { orders: { id: "job-3" } },
    },
    { run: ["destroy", "--yes", "--suppress-progress"], state: {} },
  ],
};

const documented: ScenarioOf<Step> = {
  file: "create",
  title: "With the documented operations an unconfirmed create is resolved, and changes and deletes are refused",
  steps: [
    {
      program: orders(),
      faults: [{ ...lostReply, processed: true }],
      exitCode: 1,
      posts: 1,
      says: ["The resource's job may or may not exist. The resource is recorded as unconfirmed-"],
      state: { orders: unconfirmed },
    },
    { run: preview, exitCode: 1, says: ["nothing was sent. Its create is still unconfirmed"] },
    { exitCode: 1, says: ["nothing was sent. Its create is still unconfirmed"], state: { orders: unconfirmed } },
    { program: orders({}, { replaceOnChanges: ["*"] }), exitCode: 1, state: { orders: unconfirmed } },
    {
      program: {},
      exitCode: 1,
      says: ["is unconfirmed (unconfirmed-", "the resource stays in the stack's state"],
      state: { orders: unconfirmed },
    },
    { program: orders({ existingJobId: "job-1" }), state: { orders: { outputs: { jobId: "job-1" } } } },
    { run: refresh, state: { orders: { id: "job-1" } } },
    {
      program: orders({ intervalValue: 5, ...hidden }),
      run: preview,
      exitCode: 1,
      says: ["intervalValue: 4 → 5", "params.sourceTable (values are not shown"],
      saysNot: ["S3CRET"],
    },
    {
      program: orders({ definedNextRun: "2030-01-01T00:00:00Z" }, { replaceOnChanges: ["*"] }),
      run: withPreview,
      says: ["1 updated", "this update sends nothing"],
      state: { orders: { id: "job-1" } },
    },
    { program: {}, exitCode: 1, says: ["documents no way to delete a job"], state: { orders: {} } },
    {
      config: { "data-connectivity:protect": "false" },
      program: orders({ definedNextRun: "2030-01-01T00:00:00Z" }),
      state: { orders: {} },
    },
    { program: {}, says: ["job job-1 leaves the stack, because data-connectivity:protect is false"], state: {} },
  ],
};

const replacement: ScenarioOf<Step> = {
  file: "replaceUnprotected",
  title: "With the documented operations a replacement leaves the old job, also where the new one is unconfirmed",
  steps: [
    { program: orders(), posts: 1, state: { orders: { id: "job-1" } } },
    { run: ["state", "taint", urn("orders"), "--yes"] },
    {
      run: withPreview,
      posts: 1,
      says: ["job job-1 leaves the stack, because another one replaced it", "1 replaced"],
      state: { orders: { id: "job-2" } },
    },
    { run: ["state", "taint", urn("orders"), "--yes"], state: { orders: { id: "job-2" } } },
    {
      run: withPreview,
      posts: 1,
      says: ["job job-2 leaves the stack, because another one replaced it", "1 replaced"],
      state: { orders: { id: "job-3" } },
    },
    { run: ["state", "taint", urn("orders"), "--yes"] },
    {
      program: orders(),
      faults: [lostReply],
      exitCode: 1,
      posts: 1,
      says: ["is recorded as unconfirmed-"],
    },
    { exitCode: 1, says: ["is still unconfirmed (unconfirmed-"] },
    {
      program: orders({ existingJobId: "77" }),
      says: ["job job-3 leaves the stack, because another one replaced it"],
      state: { orders: { outputs: { jobId: "77" } } },
    },
    { run: [...preview, "--expect-no-changes"] },
  ],
};

const values: ScenarioOf<Step> = {
  file: "values",
  title: "Values of a program that are no JSON are known, wait, or are refused",
  steps: [
    {
      program: orders({ additionalParams: { file: { "fn::stringAsset": "S3CRET" } } }),
      run: preview,
      exitCode: 1,
      says: ['CachingJob "orders": additionalParams.file is an asset (a file or a text). Accepted: a plain value.'],
      saysNot: ["S3CRET"],
    },
    {
      program: {
        ...orders(),
        items: caching({
          enabled: "${orders.job.enabled}",
          intervalValue: "${orders.job.intervalValue}",
          additionalParams: {
            list: [null, { run: "${orders.job.lastRun}" }, secret("S3CRET")],
            big: 1e15,
            record: "${orders.job}",
          },
          ...ofTable("${orders.job.name}_COPY"),
        }),
      },
      run: withPreview,
      posts: 2,
      saysNot: ["S3CRET"],
      state: {
        orders: { id: "job-1" },
        items: { id: "job-2", outputs: { params: { sourceTable: "ORDERS_COPY" }, enabled: true, intervalValue: 4 } },
      },
    },
    { run: [...preview, "--expect-no-changes"] },
  ],
};

/** What only a program with the plugin does, in both modes. */
export const scenariosOfPlugin: readonly Scenario[] = [all, documented, replacement, values].map(withPlugin);
