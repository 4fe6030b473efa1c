import { Config } from "@pulumi/pulumi";
import { CachingJob, getConnectionOutput } from "pulumi-data-connectivity";

const name = new Config().require("connection");

const orders = new CachingJob("orders", {
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  params: {
    sourceConnection: getConnectionOutput({ name }).id,
    sourceName: "Snowflake",
    sourceSchema: "PUBLIC",
    sourceTable: "ORDERS",
  },
});

export const ordersJobId = orders.jobId;
