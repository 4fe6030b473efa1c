import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createJob, getJob, runJob, updateJob, deleteJob } from "../../provider/src/client/jobCalls.js";
import {
  listAccounts,
  listConnections,
  listDataSources,
  listJobs,
  listTables,
} from "../../provider/src/client/lists.js";
import type { Service } from "../../provider/src/client/service.js";
import { modes } from "../../provider/src/config/index.js";
import { isObject, type Json } from "../../provider/src/json.js";
import { cachingJob, bodyOf } from "../../provider/src/jobs/index.js";
import { declaration } from "../support/declaration.js";
import { JOB, start, stopAll } from "../support/emulated.js";
import { startCommand } from "../support/command.js";
import type { TestFault, TestServer } from "../support/emulator/index.js";
import { containing, including, matching, saying } from "../support/matchers.js";
import { root } from "../support/pages.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { serviceAt, TOKEN } from "../support/testService.js";
import { Play } from "./play.js";
import { newJob, rows, type Row } from "./table.js";

afterEach(stopAll);

const { params } = declaration;
const id = "6d9f0f0e-8f6c-4f6e-9d53-0f1f2f3f4f5f";

/** The service's differences, by row. */
async function played(service: TestServer, changes = true) {
  const play = new Play(service.baseUrl, () => Promise.resolve(service.token), changes ? params : undefined);
  const differences = new Map<string, unknown>();
  for await (const [{ name }, found] of play.run()) if (found.length > 0) differences.set(name, found);
  return { differences: Object.fromEntries(differences), left: play.left };
}

describe("The emulator", () => {
  test("agrees with the table, which leaves no job behind", async () => {
    const service = await start();
    service.addJob(JOB);
    expect(await played(service)).toEqual({ differences: {}, left: undefined });
    expect(service.jobs).toHaveLength(1);
    expect(service.requests).toHaveLength(rows.length);
  });

  test("is changed by the table only where the user asks for it", async () => {
    const service = await start();
    service.addJob(JOB);
    const { differences } = await played(service, false);
    expect(Object.values(differences)).toEqual(rows.filter(({ changes }) => changes).map(() => "skipped"));
    expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });
});

describe("A service that differs", () => {
  const reply = (on: "create" | "update" | "list" | "delete", body: Json, status = 200): TestFault => ({
    ...{ kind: "reply", on, status, body, processed: true },
  });

  test.each<[string, TestFault, object, unknown]>([
    [
      "by members of a reply",
      reply("list", { jobs: [{ ...JOB, created: 7, secret: "HUSH" }] }),
      { "all jobs": including([".jobs[].created: Invalid input: expected string, received number"]) },
      undefined,
    ],
    [
      "by a change that it does not make",
      reply("update", { jobs: [{ ...newJob(params), id, name: "ORDERS" }] }),
      { "an update, of the whole job": including(["intervalValue is not as it was sent"]) },
      undefined,
    ],
    [
      "by a delete that it does not make",
      { ...reply("delete", "no", 409), processed: false },
      { "a delete": ["status 409 in place of 200"], "the deleted job": ["a job in place of none"] },
      matching(/^Job ".*" exists\.$/),
    ],
    [
      "by a create that does not tell its job",
      reply("create", {}),
      { "a create": including(["the reply does not show one job that is new"]) },
      "The job of the create may exist.",
    ],
  ])("%s is told, without a value", async (_how, fault, differences, left) => {
    const service = await start({ faults: [fault] });
    const found = await played(service);
    expect(found).toEqual({ differences: containing(differences), left });
    expect(JSON.stringify(found)).not.toMatch(/HUSH|PUBLIC/);
  });
});

describe("The client", () => {
  const [body, changed] = [newJob(params), newJob(params, 2)];
  const calls: Readonly<Record<string, readonly [(service: Service) => Promise<object>, object]>> = {
    "the data sources": [listDataSources, { kind: "listed", entries: [{ dataSource: "Snowflake" }, {}] }],
    "the connections": [listConnections, { kind: "listed", entries: [{ id: "c1" }] }],
    "the tables": [(service) => listTables(service, { catalogName: id }), { kind: "listed" }],
    "the accounts": [listAccounts, { kind: "listed" }],
    "all jobs": [listJobs, { kind: "listed" }],
    "a job": [
      (service) => getJob(service, id),
      { kind: "found", record: { job: { id, intervalValue: 1 }, jobType: "Caching" } },
    ],
    "a job that nobody has": [(service) => getJob(service, id), { kind: "missing" }],
    "a run of a job that nobody has": [(service) => runJob(service, id), { kind: "accepted" }],
    "a create": [
      // The documented call believes a reply that shows nothing of the source: nothing else can be asked.
      ({ account: { baseUrl } }) =>
        createJob(serviceAt(baseUrl, { mode: modes.create }), { kind: cachingJob, declared: body }, body),
      { outcome: "created", record: { job: { id } } },
    ],
    "an update, of the whole job": [
      (service) =>
        updateJob(service, id, {
          before: { kind: cachingJob, declared: body },
          now: { kind: cachingJob, declared: changed },
          body: () => changed,
        }),
      { kind: "changed", record: { job: { id } } },
    ],
    "a delete": [(service) => deleteJob(service, id), { kind: "deleted" }],
  };
  const examples = rows.flatMap((row) =>
    row.examples.map((example, n): [string, Row, Json] => [`${row.name} ${n}`, row, example]),
  );

  const lookUps = ["the connections", "the tables", "the accounts", "all jobs", "a job"];
  const shown = examples.filter(([, { name }]) => lookUps.includes(name));
  test.each(shown)("believes %s as little as the table does, if it has an error", async (_name, row, example) => {
    const failed = { ...(isObject(example) && example), error: { code: "QUERY_FAILED", message: "no" } };
    if (typeof row.reply === "object") expect(row.reply.safeParse(failed).success).toBe(false);
    const [call, result] = calls[row.name] ?? [];
    const service = await start({ token: TOKEN, faults: [{ kind: "reply", status: 200, body: failed }] });
    expect(await call?.(serviceAt(service.baseUrl, { mode: modes.all }))).not.toMatchObject(result ?? {});
  });

  test.each(examples)("sends and reads %s as the table shows it", async (_name, row, example) => {
    if (typeof row.reply === "object") expect(row.reply.safeParse(example).error).toBeUndefined();
    const [call, result] = calls[row.name] ?? [];
    if (call === undefined) throw new Error(`No call for ${row.name}.`);
    const service = await start({ token: TOKEN, faults: [{ kind: "reply", status: 200, body: example }] });
    const answer = await call(serviceAt(service.baseUrl, { mode: modes.all }));
    expect(answer).toMatchObject(result ?? {});
    expect(service.requests.map((sent) => [sent.method, sent.path, sent.body])).toEqual([
      [row.method, row.path.replace(/\{\w+\}/, id), row.body?.(params)],
    ]);
  });

  test("makes that body of a declaration, with the first run as it is written", () => {
    const declared = { intervalUnit: "Month", intervalValue: 1, logVerbosity: 1, enabled: false, params };
    const more = { definedNextRun: "2026-12-01T03:00:00+01:00" };
    expect(bodyOf({ kind: cachingJob, declared: { ...declared, ...more } }, "typed")).toEqual({ ...body, ...more });
  });
});

describe("npm run contract", () => {
  const folder = temporaryFolder();
  const run = (args: readonly string[], token = TOKEN) =>
    startCommand(process.execPath, ["--import", "tsx", "scripts/contract.ts", ...args], {
      cwd: root,
      env: { ...process.env, DATA_CONNECTIVITY_TOKEN: token },
    }).finished;

  test("tells where a service differs, and never its token", async () => {
    const service = await start({ token: TOKEN, faults: [{ kind: "echoToken", on: "list", status: 500 }] });
    const { exitCode, output } = await run(["--address", service.baseUrl]);
    expect(output).toContain("differs  GET /api/job/list (all jobs): status 500 in place of 200\n");
    expect(output).toMatch(/\n6 rows agree, 1 differs, 7 were not played\.\n$/);
    expect([exitCode, output.includes(TOKEN)]).toEqual([1, false]);
  });

  test("takes the token from a command, and the job's params from a file", async () => {
    const service = await start({ token: TOKEN });
    const args = ["--address", service.baseUrl, "--token-command", `echo ${TOKEN}`];
    const file = join(folder(), "params.json");
    writeFileSync(file, JSON.stringify(params));
    const { exitCode, output } = await run([...args, "--change", file], "");
    expect(output).toMatch(/\n13 rows agree, 0 differ, 1 was not played\.\n$/);
    expect([exitCode, service.jobs]).toEqual([0, []]);
  });

  test("needs an address", async () => {
    expect(await run([])).toMatchObject({ exitCode: 2, stderr: saying("--address is missing") });
  });
});
