import { createHash } from "node:crypto";
import { Config } from "@pulumi/pulumi";
import { CachingJob } from "pulumi-data-connectivity";
import { readCatalogue, type Table } from "./catalogue";

const config = new Config();
// No default, so that no job is made by mistake: it cannot be deleted from here. Set a connection of your own.
const sourceConnection = config.require("sourceConnection");
const firstDay = new Date(config.require("firstDay"));

const tables = readCatalogue("tables.csv");

for (const table of tables) {
  new CachingJob(
    `${table.schema}.${table.name}`,
    {
      intervalUnit: "Hour",
      intervalValue: table.everyHours,
      logVerbosity: 1,
      definedNextRun: firstRun(table),
      params: {
        sourceConnection,
        sourceName: "Snowflake",
        sourceSchema: table.schema,
        sourceTable: table.name,
        timeCheckColumn: table.timeCheckColumn,
      },
    },
    // It has an effect only when a job is created: a later firstDay is for the tables that come later.
    { ignoreChanges: ["definedNextRun"] },
  );
}

export const numberOfTables = tables.length;

/** A minute of the table's first interval, from a hash of its name: the jobs do not all start at once. */
function firstRun({ schema, name, everyHours }: Table): string {
  const hash = createHash("sha256").update(`${schema}.${name}`).digest().readUInt32BE();
  const minute = hash % (everyHours * 60);
  return new Date(firstDay.getTime() + minute * 60_000).toISOString();
}
