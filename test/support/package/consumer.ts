// A program as users write it: type-checked under each module resolution, and run by the tests of whole programs.
import * as pulumi from "@pulumi/pulumi";
import {
  CachingJob,
  IntervalUnit,
  ScheduledQueryJob,
  getDataSources,
  getDataSourcesOutput,
  type CachingJobArgs,
  type GetDataSourcesResult,
  type JobRecord,
  type Origin,
} from "pulumi-data-connectivity";

const args: CachingJobArgs = {
  intervalUnit: IntervalUnit.Hour,
  intervalValue: 4,
  logVerbosity: 2,
  params: {
    sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
    sourceName: pulumi.output("Snowflake1"),
    sourceSchema: "PUBLIC",
    sourceTable: "ORDERS",
  },
};
const orders = new CachingJob("orders", args);
const totals = new ScheduledQueryJob("totals", {
  intervalUnit: "Day",
  intervalValue: 1,
  logVerbosity: 1,
  params: { query: "SELECT 1", anything: { else: [1, 2] } },
});

export const firstRun: pulumi.Output<string | undefined> = orders.job.nextRunTime;
export const record: pulumi.Output<JobRecord> = totals.job;
export const origin: pulumi.Output<Origin> = orders.origin;
export const supported: Promise<GetDataSourcesResult> = getDataSources();
export const count: pulumi.Output<number> = getDataSourcesOutput().apply(({ dataSources }) => dataSources.length);
