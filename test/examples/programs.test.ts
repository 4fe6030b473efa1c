import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "pulumi-data-connectivity/testing";
import { declaration } from "../support/declaration.js";
import { exampleFolder, runExample } from "../support/example.js";

const { sourceConnection } = declaration.params;
const read = (...path: readonly string[]) => readFileSync(join(exampleFolder(""), ...path), "utf8");

const tablesOf = (jobs: Emulator["jobs"]) => jobs.map(({ params }) => params["sourceTable"]).sort();
const idsOf = (jobs: Emulator["jobs"]) => jobs.map(({ id }) => id);

describe("An example under the mocks makes the jobs that it shows", () => {
  test("scheduled-query: one query from its file", async () => {
    const { jobs, outputs } = await runExample("scheduled-query", {
      "scheduled-query:destinationConnection": "Warehouse",
    });
    expect(jobs).toHaveLength(1);
    expect(jobs[0]).toMatchObject({ jobType: "ScheduledQuery", name: "daily totals", intervalUnit: "Day" });
    expect(jobs[0]?.params).toEqual({
      name: "daily totals",
      query: read("scheduled-query", "daily-totals.sql"),
      destinationConnectionName: "Warehouse",
      destinationSchema: "REPORTS",
      destinationTable: "DAILY_TOTALS",
    });
    expect(outputs).toEqual({ jobId: jobs[0]?.id, firstRun: jobs[0]?.nextRunTime });
  });

  test("many-tables: one for each line of the catalogue, spread over the first interval", async () => {
    const config = { "many-tables:sourceConnection": sourceConnection, "many-tables:firstDay": "2026-12-01" };
    const { jobs, outputs } = await runExample("many-tables", config);
    expect(outputs).toEqual({ numberOfTables: 240 });

    const lines = jobs.map(({ params: { sourceSchema, sourceTable, timeCheckColumn }, intervalValue }) =>
      [sourceSchema, sourceTable, intervalValue, timeCheckColumn].join(","),
    );
    const [, ...catalogue] = read("many-tables", "tables.csv").trim().split("\n");
    expect(lines.sort()).toEqual(catalogue.sort());

    const hours = jobs.map(({ nextRunTime }) => (Date.parse(nextRunTime) - Date.parse("2026-12-01")) / 3_600_000);
    expect(jobs.every(({ intervalValue }, n) => (hours[n] ?? -1) >= 0 && (hours[n] ?? -1) < intervalValue)).toBe(true);
    // 160 jobs start on the first day. If they were spread evenly, about seven would start in each hour.
    const inOneHour = Array.from({ length: 24 }, (_, hour) => hours.filter((at) => Math.floor(at) === hour).length);
    expect(Math.max(...inOneHour)).toBeLessThan(25);
    expect(new Set(hours).size).toBeGreaterThan(200);
    // A job's time depends only on the table's name, not on the clock or on earlier lines of the catalogue.
    expect(jobs.find(({ name }) => name === "ACCOUNTS")?.nextRunTime).toBe("2026-12-01T02:26:00.000Z");
  });

  test("several-accounts: one in each, with that account's credentials", async () => {
    const { jobs, requests, outputs } = await runExample("several-accounts", ({ token }) => ({
      "data-connectivity:accounts": JSON.stringify({
        eu: { credentialsCommand: `printf %s ${token}` },
        us: { credentialsCommand: `printf %s ${token}` },
      }),
      "several-accounts:sourceConnections": JSON.stringify({
        eu: sourceConnection,
        us: "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
      }),
    }));
    expect(jobs.map(({ params }) => params["sourceConnection"]).sort()).toEqual([
      "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
      sourceConnection,
    ]);
    expect(Object.values(outputs).sort()).toEqual(idsOf(jobs).sort());
    // Both names have one token, so they are one account: the provider sends one list call before its first create.
    expect(requests.filter(({ method }) => method === "GET")).toHaveLength(1);
  });

  test("adopt: none, for its jobs exist", async () => {
    const { jobs, requests, outputs } = await runExample("adopt", { "adopt:sourceConnection": sourceConnection });
    expect([jobs, requests]).toEqual([[], []]);
    expect(outputs).toEqual({ adopted: Object.keys(JSON.parse(read("adopt", "jobs.json")) as object) });
  });

  test("component: one for each table of the component", async () => {
    const { jobs, outputs } = await runExample("component", { "component:sourceConnection": sourceConnection });
    expect(tablesOf(jobs)).toEqual(["CUSTOMERS", "ORDERS", "ORDER_LINES"]);
    expect(Object.values(outputs).flat().sort()).toEqual(idsOf(jobs).sort());
  });

  test.each([
    ["manage-jobs", ["ORDERS 6"]],
    ["pipeline", ["ORDERS 4"]],
    ["unit-tests", ["ORDERS 1"]],
  ])("%s: %j", async (name, expected) => {
    const config = { [`${name}:sourceConnection`]: sourceConnection, [`${name}:everyHours`]: "6" };
    const { jobs } = await runExample(name, config);
    expect(jobs.map((job) => `${job.name} ${job.intervalValue}`).sort()).toEqual(expected);
  });
});
