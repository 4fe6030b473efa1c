import * as z from "zod";
import { JOB, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { type ServiceInput, askService } from "./cliProcess.js";
import { caching, exported, originAt, resource, startWith } from "./exportedState.js";

afterEach(stopAll);

const importFile = z.strictObject({
  resources: z.array(z.strictObject({ type: z.string(), name: z.string(), logicalName: z.string(), id: z.string() })),
});

async function importFor(service: TestServer, { args = [], ...asked }: ServiceInput = {}) {
  const { exitCode, stdout, stderr } = await askService(service, { ...asked, args: ["--as-import", ...args] });
  expect(exitCode).toBe(0);
  return { ...importFile.parse(JSON.parse(stdout)), stderr };
}

const query = { ...JOB, jobType: "ScheduledQuery", params: { name: "daily totals" } };

test("The file names each job once, by the plugin's types and names that are all different", async () => {
  const other = caching("ORDERS", { sourceSchema: "OTHER" });
  const service = await startWith({ "job-1": caching("ORDERS"), "job-2": other, "job-3": query });
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

test("A job that the stack has is not in it, and its name is not taken twice", async () => {
  const service = await startWith({ "job-1": caching("SALES"), "job-2": caching("ORDERS") });
  const type = "data-connectivity:index:CachingJob";
  const known = { ...resource("orders", { origin: originAt(service.baseUrl, "adopted") }), type };
  const { resources } = await importFor(service, { stack: exported([known]) });
  expect(resources.map(({ logicalName, id }) => [logicalName, id])).toEqual([["orders-2", "job-2"]]);
});

test("Why a job is left out is said on stderr: a file of JSON has no comments", async () => {
  expect(await importFor(await startWith({ "eu/job-3": caching("three") }))).toEqual({
    resources: [],
    stderr: "Left out: job eu/job-3. pulumi import would take it for a job of the account eu.\n",
  });
});
