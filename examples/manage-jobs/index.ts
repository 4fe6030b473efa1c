import { Config } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";

const config = new Config();
const sourceConnection = config.require("sourceConnection");

const orders = new CachingJob("orders", {
  intervalUnit: "Hour",
  intervalValue: config.requireNumber("everyHours"),
  logVerbosity: 2,
  params: {
    sourceConnection,
    sourceName: "Snowflake",
    sourceSchema: "PUBLIC",
    sourceTable: "ORDERS",
  },
});

export const { jobId } = orders;
export const nextRun = orders.job.nextRunTime;
