import { Config } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";

// No default, so that no job is made by mistake: it cannot be deleted from here. Set connections of your own.
const sourceConnections = new Config().requireObject<{ eu: string; us: string }>("sourceConnections");

function cacheOrders(account: "eu" | "us"): CachingJob {
  return new CachingJob(`orders-${account}`, {
    account,
    intervalUnit: "Hour",
    intervalValue: 4,
    logVerbosity: 2,
    params: {
      sourceConnection: sourceConnections[account],
      sourceName: "Snowflake",
      sourceSchema: "PUBLIC",
      sourceTable: "ORDERS",
    },
  });
}

export const eu = cacheOrders("eu").jobId;
export const us = cacheOrders("us").jobId;
