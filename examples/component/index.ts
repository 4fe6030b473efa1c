import { Config } from "@pulumi/pulumi";
import { CachedSchema } from "./cachedSchema";

// No default, so that no job is made by mistake: it cannot be deleted from here. Set a connection of your own.
const sourceConnection = new Config().require("sourceConnection");

const sales = new CachedSchema("sales", {
  sourceConnection,
  sourceName: "Snowflake",
  schema: "SALES",
  tables: ["ORDERS", "ORDER_LINES", "CUSTOMERS"],
  everyHours: 4,
});

export const jobIds = Object.values(sales.jobs).map(({ jobId }) => jobId);
