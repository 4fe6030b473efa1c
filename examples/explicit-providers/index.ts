import { Config } from "@pulumi/pulumi";
import { CachingJob, Provider } from "pulumi-data-connectivity-sdk";

const config = new Config();
// No default, so that no job is made by mistake: by default it cannot be deleted from here. Set connections of your own.
const sourceConnections = config.requireObject<{ eu: string; us: string }>("sourceConnections");

function cacheOrders(account: "eu" | "us"): CachingJob {
  const provider = new Provider(account, {
    baseUrl: config.require(`${account}BaseUrl`),
    token: config.requireSecret(`${account}Token`),
  });
  return new CachingJob(
    `orders-${account}`,
    {
      intervalUnit: "Hour",
      intervalValue: 4,
      logVerbosity: 2,
      params: {
        sourceConnection: sourceConnections[account],
        sourceName: "Snowflake",
        sourceSchema: "PUBLIC",
        sourceTable: "ORDERS",
      },
    },
    { provider, protect: true, retainOnDelete: true },
  );
}

export const eu = cacheOrders("eu").jobId;
export const us = cacheOrders("us").jobId;
