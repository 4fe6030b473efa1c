import * as z from "zod";
import { JOB, PARAMS, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { exported, params, resource, unconfirmed } from "./exportedState.js";
import { askService, type Asked } from "./serviceJobs.js";

afterEach(stopAll);

const importFile = z.strictObject({
  resources: z.array(z.strictObject({ type: z.string(), name: z.string(), logicalName: z.string(), id: z.string() })),
});

async function importFor(service: TestServer, asked: Asked = {}) {
  const { exitCode, stdout, stderr } = await askService(service, { ...asked, args: ["--as-import"] });
  expect(exitCode).toBe(0);
  return { ...importFile.parse(JSON.parse(stdout)), stderr };
}

const caching = (sourceTable: string, more: object = {}) => ({ ...JOB, params: { ...PARAMS, sourceTable, ...more } });
const query = { ...JOB, jobType: "ScheduledQuery", params: { name: "daily totals" } };

test("The file names each job once, by the plugin's types and names that are all different", async () => {
  const service = await start();
  service.addJob(caching("ORDERS"), { id: "job-1" });
  service.addJob(caching("ORDERS", { sourceSchema: "OTHER" }), { id: "job-2" });
  service.addJob(query, { id: "job-3" });
  expect(await importFor(service)).toEqual({
    stderr: "",
    resources: [
      { type: "data-connectivity:index:CachingJob", name: "ordersJob", logicalName: "orders", id: "job-1" },
      { type: "data-connectivity:index:CachingJob", name: "orders2Job", logicalName: "orders-2", id: "job-2" },
      {
        type: "data-connectivity:index:ScheduledQueryJob",
        name: "dailyTotalsJob",
        logicalName: "daily-totals",
        id: "job-3",
      },
    ],
  });
});

test.each(["pulumi-nodejs:dynamic/data-connectivity:CachingJob", "data-connectivity:index:CachingJob"])(
  "A job that the stack has as a %s is not in it, and its name is not taken twice",
  async (type) => {
    const service = await start();
    service.addJob(caching("SALES"), { id: "job-1" });
    service.addJob(caching("ORDERS"), { id: "job-2" });
    const origin = { outcome: "adopted", baseUrl: service.baseUrl, at: "2026-11-20T13:28:23.628Z" };
    const known = { ...resource("orders", { origin }), type };
    const { resources } = await importFor(service, { stack: exported([known]) });
    expect(resources.map(({ logicalName, id }) => [logicalName, id])).toEqual([["orders-2", "job-2"]]);
  },
);

test("Why a job is left out is said on stderr: a file of JSON has no comments", async () => {
  const service = await start();
  service.addJob(caching("one"), { id: "job-1", intervalUnit: "Minute" });
  service.addJob(caching("late", { ...params, sourceTable: "late" }), { id: "job-2" });
  service.addJob(caching("three"), { id: "eu/job-3" });
  const inputs = { params: { ...params, sourceTable: "late" } };
  const origin = { outcome: "unconfirmed", baseUrl: service.baseUrl, at: "2026-11-20T13:28:23.628Z" };
  const stack = exported([{ ...unconfirmed("late"), inputs, outputs: { job: {}, origin } }]);
  const { resources, stderr } = await importFor(service, { stack });
  expect(resources).toEqual([]);
  expect(stderr).toMatch(/^Left out: job job-1 \(one\)\. intervalUnit is a string that is not accepted/m);
  expect(stderr).toMatch(/^Left out: job job-2 may be that of CachingJob "late", whose create is unconfirmed\./m);
  expect(stderr).toMatch(/^Left out: job eu\/job-3\. pulumi import would take it for a job of the account eu\.$/m);
});

test("A job of a named account has the account in front of its id", async () => {
  const service = await start();
  service.addJob(caching("ORDERS"), { id: "job/1" });
  const config = { "data-connectivity:jobOperations": "all", "data-connectivity:account": "main" };
  const { resources } = await importFor(service, { config });
  expect(resources.map(({ id }) => id)).toEqual(["main/job/1"]);
});
