import { Config } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";
import existing from "./jobs.json";

const sourceConnection = new Config().require("sourceConnection");

// The list is keyed by id, so that no entry lacks one: a declaration without existingJobId creates a new job.
export const adopted = Object.entries(existing).map(([existingJobId, { table, everyHours }]) => {
  const job = new CachingJob(table.toLowerCase(), {
    existingJobId,
    intervalUnit: "Hour",
    intervalValue: everyHours,
    logVerbosity: 2,
    params: {
      sourceConnection,
      sourceName: "Snowflake",
      sourceSchema: "PUBLIC",
      sourceTable: table,
    },
  });
  return job.jobId;
});
