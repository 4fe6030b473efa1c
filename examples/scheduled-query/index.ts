import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Config } from "@pulumi/pulumi";
import { ScheduledQueryJob } from "pulumi-data-connectivity";

// No default, so that no job is made by mistake: it cannot be deleted from here. Set a connection of your own.
const destinationConnection = new Config().require("destinationConnection");

const totals = new ScheduledQueryJob("daily-totals", {
  intervalUnit: "Day",
  intervalValue: 1,
  logVerbosity: 2,
  params: {
    name: "daily totals",
    query: readFileSync(join(__dirname, "daily-totals.sql"), "utf8"),
    destinationConnectionName: destinationConnection,
    destinationSchema: "REPORTS",
    destinationTable: "DAILY_TOTALS",
  },
});

export const jobId = totals.jobId;
export const firstRun = totals.job.nextRunTime;
