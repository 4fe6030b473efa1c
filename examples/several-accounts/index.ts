import { Config } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";

// Without a default: a job cannot be deleted from here, so nothing is declared until you name connections of your own.
const sourceConnections = new Config().requireObject<{ eu: string; us: string }>("sourceConnections");

function cacheOrders(account: "eu" | "us"): CachingJob {
  return new CachingJob(`orders-${account}`, {
    account,
    intervalUnit: "Hour",
    intervalValue: 4,
    logVerbosity: 2,
    params: {
      sourceConnection: sourceConnections[account],
      sourceName: "Snowflake1",
      sourceSchema: "PUBLIC",
      sourceTable: "ORDERS",
    },
  });
}

export const eu = cacheOrders("eu").job.id;
export const us = cacheOrders("us").job.id;
