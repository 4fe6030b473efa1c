import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { counted } from "../../provider/src/cli/text.js";
import { callNames, requestOf } from "../../provider/src/client/calls.js";
import { modes } from "../../provider/src/config/index.js";
import { isObject, type Json } from "../../provider/src/json.js";
import { cachingJob, bodyOf } from "../../provider/src/jobs/index.js";
import { declaration } from "../support/declaration.js";
import { JOB, start, stopAll } from "../support/emulated.js";
import { startCommand } from "../support/command.js";
import type { TestFault, TestServer } from "../support/emulator/index.js";
import { containing, including, matching, saying } from "../support/matchers.js";
import { holdSection, root } from "../support/pages.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { clientAt, TOKEN } from "../support/testService.js";
import { Play } from "./play.js";
import { id, newJob, rows, type Row } from "./table.js";

afterEach(stopAll);

const { params } = declaration;
/** The rows that are not played, because the service has no job that could be listed or was made. */
const changing = rows.filter(({ changes }) => changes);
const ofListed = rows.filter(({ job }) => job === "listed");

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
    expect(Object.values(differences)).toEqual(changing.map(() => "skipped"));
    expect(service.requests.map(({ operation }) => operation)).toEqual(
      rows.flatMap(({ changes, call }) => (changes ? [] : [call])),
    );
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
  const examples = rows.flatMap((row) =>
    row.examples.map((example, n): [string, Row, Json] => [`${row.name} ${n}`, row, example]),
  );

  const lookUps = ["the connections", "the tables", "the accounts", "all jobs", "a job"];
  const shown = examples.filter(([, { name }]) => lookUps.includes(name));
  test.each(shown)("believes %s as little as the table does, if it has an error", async (_name, row, example) => {
    const failed = { ...(isObject(example) && example), error: { code: "QUERY_FAILED", message: "no" } };
    if (typeof row.reply === "object") expect(row.reply.safeParse(failed).success).toBe(false);
    const { result, received } = await made(row, failed);
    expect(received).not.toMatchObject(result);
  });

  test.each(examples)("sends and reads %s as the table shows it", async (_name, row, example) => {
    if (typeof row.reply === "object") expect(row.reply.safeParse(example).error).toBeUndefined();
    const { result, received, requests } = await made(row, example);
    expect(received).toMatchObject(result);
    expect(requests.map((sent) => [sent.operation, sent.method, sent.path, sent.body])).toEqual([
      [row.call, row.method, row.path.replace(/\{\w+\}/, id), row.body?.(params)],
    ]);
  });

  /** The row's call of a service that answers so. */
  async function made({ name, client }: Row, example: Json) {
    if (client === undefined) throw new Error(`The row of ${name} has no call of the client.`);
    const { baseUrl, requests } = await start({
      token: TOKEN,
      faults: [{ kind: "reply", status: 200, body: example }],
    });
    const [call, result] = client;
    return { result, requests, received: await call(clientAt(baseUrl, { mode: modes.all }), params) };
  }

  test("has no call without a row, and docs/contributing/calls.md has those of mode all", () => {
    expect(new Set(rows.map(({ call }) => call))).toEqual(new Set(callNames));
    const accepted = rows.flatMap((row) => (row.accepted === undefined ? [] : [{ ...row, accepted: row.accepted }]));
    const lines = accepted.map(({ call, accepted }) => `| \`${call}\` | \`${requestOf(call)}\` | ${accepted} |`);
    holdSection(
      "docs/contributing/calls.md",
      "calls",
      ["| call | request | accepted answers |", "|---|---|---|", ...lines].join("\n"),
    );
  });

  test("makes that body of a declaration, with the first run as it is written", () => {
    const declared = { intervalUnit: "Month", intervalValue: 1, logVerbosity: 1, enabled: false, params };
    const more = { definedNextRun: "2026-12-01T03:00:00+01:00" };
    expect(bodyOf({ kind: cachingJob, declared: { ...declared, ...more } }, "typed")).toEqual({
      ...newJob(params),
      ...more,
    });
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
    const played = rows.length - changing.length - ofListed.length;
    const others = counted(rows.length - played, "was", "were");
    expect(output).toContain(`\n${played - 1} rows agree, 1 differs, ${others} not played.\n`);
    expect([exitCode, output.includes(TOKEN)]).toEqual([1, false]);
  });

  test("takes the token from a command, and the job's params from a file", async () => {
    const service = await start({ token: TOKEN });
    const args = ["--address", service.baseUrl, "--token-command", `echo ${TOKEN}`];
    const file = join(folder(), "params.json");
    writeFileSync(file, JSON.stringify(params));
    const { exitCode, output } = await run([...args, "--change", file], "");
    const others = counted(ofListed.length, "was", "were");
    expect(output).toContain(`\n${rows.length - ofListed.length} rows agree, 0 differ, ${others} not played.\n`);
    expect([exitCode, service.jobs]).toEqual([0, []]);
  });

  test("needs an address", async () => {
    expect(await run([])).toMatchObject({ exitCode: 2, stderr: saying("--address is missing") });
  });
});
