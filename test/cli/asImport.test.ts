import * as z from "zod";
import { JOB, start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { type Asked, askService } from "./cliProcess.js";
import {
  caching,
  declaredBody,
  declares,
  exported,
  originAt,
  pendingOperation,
  resource,
  startWith,
} from "./exportedState.js";

afterEach(stopAll);

const importFile = z.strictObject({
  resources: z.array(z.strictObject({ type: z.string(), name: z.string(), logicalName: z.string(), id: z.string() })),
});

async function importFor(service: TestServer, { args = [], ...asked }: Asked = {}) {
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

test("With --with-interrupted it has the one job that an interrupted create of the plugin made, where it can be imported", async () => {
  const service = await start();
  const type = "data-connectivity:index:CachingJob";
  const creating = (name: string, given: object = {}) => {
    service.addJob(declaredBody(name), { id: `job-${name}` });
    return pendingOperation("creating", { ...resource(name, declares(name)), ...given });
  };
  const urn = (types: string, name: string) => `urn:pulumi:dev::proj::${types}::${name}`;
  const ofPlugin = (name: string, types: string, provider?: string) =>
    creating(name, {
      type,
      urn: urn(types, name),
      provider: provider && `${urn("pulumi:providers:data-connectivity", provider)}::1`,
    });
  const pending = [
    ofPlugin("cut", type, "default_0_1_0"),
    creating("of-classes"),
    ofPlugin("in-component", `acme:Schema$${type}`),
    ofPlugin("explicit", type, "eu"),
  ];
  const stack = exported([], pending);
  const { resources, stderr } = await importFor(service, { stack, args: ["--with-interrupted"] });
  expect(resources).toEqual([{ type, name: "cutJob", logicalName: "cut", id: "job-cut" }]);
  expect(stderr.match(/^Left out: job \S+/gm)).toEqual(
    ["of-classes", "in-component", "explicit"].map((name) => `Left out: job job-${name}`),
  );
});

test("A job that the engine's generator of Python writes wrongly is named, and no other", async () => {
  const wrong = {
    "a backslash in several lines": { query: "select 'a\\b'\nfrom x" },
    "a backslash between two line breaks": { query: "\na\\b\n" },
    "three quotes in several lines": { query: 'say """hi"""\nx' },
    "a quote at the end of several lines": { query: 'x\n"y"' },
    "one of them deep inside": { options: { list: [1, { text: "a\n\\b" }] } },
    "one of them in the name of a member": { options: { "a\n\\b": 1 } },
  };
  const right = {
    "several lines": { query: "select a\n\tfrom b\n" },
    "a backslash in one line": { query: "a\\b\\n" },
    "a backslash before the only line break, at the end": { query: "a\\b\n" },
    "three quotes in one line": { query: 'say """hi"""' },
    "a quote in several lines": { query: 'say "hi"\nto all' },
  };
  const jobs = Object.entries({ ...wrong, ...right }).map(([what, params]): [string, object] => [
    what,
    { ...query, params: { name: "totals", ...params } },
  ]);
  const { resources, stderr } = await importFor(await startWith(Object.fromEntries(jobs)));
  expect(resources).toHaveLength(jobs.length);
  const named = /^job (.*) \(totals\): .* params\.(\w+) .* pulumi preview --expect-no-changes$/;
  expect(
    stderr
      .trimEnd()
      .split("\n")
      .map((line) => named.exec(line)?.slice(1)),
  ).toEqual(Object.entries(wrong).map(([what, params]) => [what, ...Object.keys(params)]));
});
