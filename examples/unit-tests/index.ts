import { Config, getStack } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";

// No default, so that no job is made by mistake: it cannot be deleted from here. Set a connection of your own.
const sourceConnection = new Config().require("sourceConnection");
const production = getStack() === "production";

export const orders = new CachingJob("orders", {
  intervalUnit: production ? "Hour" : "Day",
  intervalValue: production ? 4 : 1,
  logVerbosity: production ? 1 : 5,
  params: {
    sourceConnection,
    sourceName: "Snowflake",
    sourceSchema: "PUBLIC",
    sourceTable: "ORDERS",
    timeCheckColumn: "UPDATED_AT",
  },
});

export const firstRun = orders.job.nextRunTime;
