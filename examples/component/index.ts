import { Config } from "@pulumi/pulumi";
import { CachedSchema } from "./cachedSchema";

// No default: you cannot delete a job from here, so nothing is declared until you set a connection of your own.
const sourceConnection = new Config().require("sourceConnection");

const sales = new CachedSchema("sales", {
  sourceConnection,
  sourceName: "Snowflake",
  schema: "SALES",
  tables: ["ORDERS", "ORDER_LINES", "CUSTOMERS"],
  everyHours: 4,
});

export const jobIds = Object.values(sales.jobs).map(({ job }) => job.id);
