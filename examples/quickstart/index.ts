import * as pulumi from "@pulumi/pulumi";
import { CachingJob, getDataSources, ScheduledQueryJob } from "pulumi-data-connectivity";

const config = new pulumi.Config();
const { DATA_CONNECTIVITY_BASE_URL } = process.env;
const service = DATA_CONNECTIVITY_BASE_URL ?? new pulumi.Config("data-connectivity").get("baseUrl") ?? "";

// An emulator on this machine accepts any connection. At a real service every job stays: you cannot delete one from here.
const onThisMachine = /^http:\/\/(localhost|127\.|\[::1\])/.test(service);
const sourceConnection =
  config.get("sourceConnection") ?? (onThisMachine ? "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f" : undefined);

const tables = ["ORDERS", "CUSTOMERS", "INVOICES"];

export = async () => {
  const { dataSources } = await getDataSources();
  if (sourceConnection === undefined) {
    await pulumi.log.warn(
      "Nothing is declared: a job that is made there cannot be deleted from here. " +
        "To go on, set the connection: pulumi config set sourceConnection <its UUID>",
    );
    return { supportedSources: dataSources.length };
  }

  const copies = tables.map(
    (sourceTable) =>
      new CachingJob(sourceTable.toLowerCase(), {
        intervalUnit: "Hour",
        intervalValue: 4,
        logVerbosity: 2,
        params: { sourceConnection, sourceName: "Snowflake", sourceSchema: "PUBLIC", sourceTable },
      }),
  );
  const totals = new ScheduledQueryJob("daily-totals", {
    intervalUnit: "Day",
    intervalValue: 1,
    logVerbosity: 2,
    params: { name: "daily totals", query: "SELECT REGION, SUM(AMOUNT) FROM ORDERS GROUP BY REGION" },
  });

  return {
    supportedSources: dataSources.length,
    jobs: [...copies, totals].map(({ jobId }) => jobId),
    firstRun: copies[0]?.job.nextRunTime,
  };
};
