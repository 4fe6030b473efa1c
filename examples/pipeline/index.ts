import { Config } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";

// No default, so that no job is made by mistake: it cannot be deleted from here. Set a connection of your own.
const sourceConnection = new Config().require("sourceConnection");

const orders = new CachingJob("orders", {
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  params: {
    sourceConnection,
    sourceName: "Snowflake",
    sourceSchema: "PUBLIC",
    sourceTable: "ORDERS",
  },
});

export const jobId = orders.jobId;
