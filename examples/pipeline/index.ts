import { Config } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";

// Without a default: a job cannot be deleted from here, so nothing is declared until you name a connection of your own.
const sourceConnection = new Config().require("sourceConnection");

const orders = new CachingJob("orders", {
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  params: {
    sourceConnection,
    sourceName: "Snowflake1",
    sourceSchema: "PUBLIC",
    sourceTable: "ORDERS",
  },
});

export const jobId = orders.job.id;
