import { Config } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";

// The jobs of one customer. What differs between customers is configuration, which fleet.ts sets from customers.json.
const config = new Config();
const sourceConnection = config.require("sourceConnection");

const tables = config.getObject<string[]>("tables") ?? ["ORDERS", "CUSTOMERS"];

for (const sourceTable of tables) {
  new CachingJob(sourceTable.toLowerCase(), {
    intervalUnit: "Hour",
    intervalValue: config.requireNumber("everyHours"),
    logVerbosity: 2,
    params: { sourceConnection, sourceName: "Snowflake", sourceSchema: "PUBLIC", sourceTable },
  });
}
