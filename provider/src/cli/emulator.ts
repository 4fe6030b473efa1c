import { createPublicKey, verify, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type CallName, callNames } from "../client/calls.js";
import { claimsOf, expiryOf } from "../client/token.js";
import { membersOf, parseJson } from "../json.js";
import type { Fault } from "../testing/emulator/faults.js";
import { controlPath, type Told } from "../testing/emulator/control.js";
import { readJobs, writeJobs } from "../testing/emulator/jobsFile.js";
import { parseFaults } from "../testing/emulator/parseFaults.js";
import { startServer, type EmulatorServer, type ServerOptions } from "../testing/emulator/server.js";
import type { EmulatedRun, EmulatedTable, SeenRequest } from "../testing/emulator/types.js";
import { readTextFile } from "./inputText.js";
import { command, InputError, readOr, reasonOf, UsageError } from "./command.js";
import type { Context } from "./context.js";
import { shellWord } from "../sentences.js";
import { bold, counted, dim, green, printable, red, wrapped } from "./text.js";

export const emulator = command({
  summary: "Runs an emulator of the service on this machine, with a request log",
  about: [
    "Runs an emulator of the service on 127.0.0.1 until Ctrl-C. Its jobs are lost when it stops, unless --jobs names a file for them.",
    "With --at, it tells a running emulator what goes wrong from now on, and how the next runs end. By HTTP: PUT /emulator, with the members faults and runs, as application/json.",
  ],
  options: {
    port: { type: "string", value: "N", help: "the port; default: a free one" },
    token: {
      type: "string",
      value: "[ACCOUNT:]T",
      multiple: true,
      help: "accept this token; default: a random one. Give several to rehearse a rotation; ACCOUNT:T is for a separate account, whose jobs other tokens do not see",
    },
    "public-key": {
      type: "string",
      value: "FILE",
      multiple: true,
      help: "accept each token signed with this key (PEM), for the account in its sub",
    },
    table: {
      type: "string",
      value: "NAME",
      multiple: true,
      help: "list this table, CONNECTION.SCHEMA.TABLE; default: CUSTOMERS, ITEMS and ORDERS in Snowflake1.PUBLIC and Salesforce1.PUBLIC",
    },
    run: {
      type: "string",
      value: "[JOB=]STATUS[,DURATION[,ROWS]]",
      multiple: true,
      help: "how a run of this job ends, by its table or the name of its query; without JOB, of all others. Default: JOB_SUCCESS,0,0",
    },
    faults: {
      type: "string",
      value: "FILE",
      help: "what goes wrong: a JSON array of faults, in a file or as it is ('[]' is none)",
    },
    jobs: {
      type: "string",
      value: "FILE",
      help: "keep the jobs in this file, and begin with those in it: after a restart, they are still there",
    },
    at: {
      type: "string",
      value: "ADDRESS",
      help: "tell the emulator at this address --faults, which replace those that are left, or --run, and end",
    },
  },
  forms: { "": { answers: "How does a program behave without an account?", requests: [] } },
  passes: "after Ctrl-C, or if the running emulator was told",
  fails: "if a file, the port or the address cannot be used",
  example: [
    "pulumi-data-connectivity emulator --port 8080 --token test --jobs jobs.json",
    "pulumi-data-connectivity emulator --at http://127.0.0.1:8080 --faults down.json",
  ],
  more: `Kinds of faults, with an example of each:

  reply    replies with this status, and with headers and a body if given
           { "kind": "reply", "on": "create", "status": 429, "headers": { "Retry-After": "5" } }
  reset    breaks the connection with a TCP RST
           { "kind": "reset", "on": "create", "processed": true }
  delay    replies as usual, but only after some seconds; the request takes effect at once
           { "kind": "delay", "on": "create", "seconds": 45 }

Members of every fault, all optional:

  on         ${wrapped(`one of ${callNames.join(", ")}; default: all`, 87).join(`\n${" ".repeat(13)}`)}
  after      how many requests pass first; default 0
  times      how many requests the fault applies to; default 1, and -1 means all
  processed  true: the request takes effect before the fault; default false, of delay true
`,

  async run(context, values) {
    const { print } = context;
    const faults = values.faults === undefined ? undefined : readFaults(context, values.faults);
    const runs = Object.fromEntries((values.run ?? []).map(runFrom));
    if (values.at !== undefined) return tellRunning(context, values.at, refusedBeside(values), { faults, runs });
    const file = values.jobs === undefined ? undefined : context.pathOf(values.jobs);
    const tokens = (values.token ?? []).map(tokenFrom);
    const keys = (values["public-key"] ?? []).map((file) => publicKey(context.pathOf(file)));
    const running = await start(context, {
      port: values.port === undefined ? undefined : portFrom(values.port),
      token: tokens[0]?.token,
      tokens: Object.fromEntries(tokens.map(({ token, account }) => [token, account])),
      accountOf: (token) => accountOfJwt(token, keys),
      tables: values.table?.map(tableFrom),
      ...{ runs, faults },
      jobs: file === undefined ? [] : readOr(`${file} cannot be used: `, () => readJobs(file)),
      ...(file !== undefined && {
        onChange: (jobs) => {
          writeJobs(file, jobs);
        },
      }),
      onTold: (told) => {
        print(dim(toldText(told)));
      },
    });
    // Call it before printing the first line, because a reader of that line may stop the emulator at once.
    const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM"), launcherEnds(context)]);
    print(
      "The emulator runs. In the shell in which you call pulumi:",
      "",
      `  export DATA_CONNECTIVITY_BASE_URL=${running.baseUrl}`,
      `  export DATA_CONNECTIVITY_TOKEN=${shellWord(running.token)}`,
      ...tokens
        .slice(1)
        .map(({ account, token }) => `  # or ${shellWord(token)}${account && `, of the account ${account}`}`),
      "",
      dim("What the setting accounts gives an account (baseUrl, token) stays: these variables do not override it."),
      dim("Requests appear here. Ctrl-C ends it."),
    );
    await ended;
    await running.stop();
    const made = running.requests.filter(({ operation, job }) => operation === "create" && job !== undefined);
    print("", `${counted(running.requests.length, "request")}, ${counted(made.length, "job")} made.`);
    return 0;
  },
});

/**
 * Settles when npx, or another program that runs a package's command in a shell, was ended: it ends its shell, and the
 * shell does not pass the signal on.
 */
const launcherEnds = async ({ host: { env } }: Context): Promise<void> => {
  if (env["npm_execpath"] === undefined) return new Promise(() => undefined);
  const launcher = process.ppid;
  // No event reports the end of a parent.
  while (process.ppid === launcher) await setTimeout(200, undefined, { ref: false });
};

/** The options that say how an emulator starts. */
const refusedBeside = ({ port, token, "public-key": key, table, jobs }: Readonly<Record<string, unknown>>) =>
  Object.entries({ port, token, "public-key": key, table, jobs }).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}`],
  );

/** Tells a running emulator. */
async function tellRunning({ print }: Context, at: string, beside: readonly string[], told: Told): Promise<number> {
  const { faults, runs = {} } = told;
  if (beside.length > 0) throw new UsageError(`--at cannot be used with ${beside.join(" or ")}.`);
  if (faults === undefined && Object.keys(runs).length === 0) throw new UsageError("--at needs --faults or --run.");
  if (!URL.canParse(at))
    throw new UsageError(`--at is ${JSON.stringify(at)}. Accepted: the address that the emulator printed.`);
  const request = { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) };
  const status = await fetch(new URL(controlPath, at), request).then(
    (response) => response.status,
    () => undefined,
  );
  if (status === 200) print(toldText(told));
  else throw new InputError(`No emulator of this version runs at ${at}.`);
  return 0;
}

function toldText({ faults, runs = {} }: Told): string {
  const ofRuns = Object.entries(runs).map(
    ([job, { status }]) => `${job === "*" ? "all other jobs" : job} ${status ?? ""}`,
  );
  const words = [
    ...(faults === undefined ? [] : [faults.length === 0 ? "no faults" : counted(faults.length, "fault")]),
    ...(ofRuns.length === 0 ? [] : [`the next runs end so: ${ofRuns.join(", ")}`]),
  ];
  return `From now on: ${words.join("; ")}.`;
}

async function start({ print }: Context, options: ServerOptions): Promise<EmulatorServer> {
  try {
    const onRequest = (request: SeenRequest): void => {
      print(logLine(request, running));
    };
    const running: EmulatorServer = await startServer({ ...options, onRequest });
    return running;
  } catch (error) {
    const inUse = membersOf(error)["code"] === "EADDRINUSE";
    throw new InputError(
      inUse
        ? `Port ${options.port ?? 0} is in use. Leave out --port to get a free one, or stop the program that uses it.`
        : `The emulator could not start: ${reasonOf(error)}`,
    );
  }
}

const verbs: Partial<Record<CallName, string>> = { update: "changed", delete: "deleted", run: "ran" };

function logLine({ status, operation, job: id, ...request }: SeenRequest, { jobs }: EmulatorServer): string {
  // `jobs` no longer has a deleted job.
  const job = jobs.find((one) => one.id === id);
  const named = job === undefined ? `job ${id ?? ""}` : `${job.jobType} job ${job.id} (${job.name})`;
  const verb = (operation && verbs[operation]) ?? "made";
  const notes = [
    ...(id === undefined ? [] : [`${verb} ${named}`]),
    ...(request.authorized ? [] : ["token not accepted"]),
    ...(request.account === undefined ? [] : [`account ${request.account}`]),
    ...(request.fault === undefined ? [] : [`fault ${request.fault}`]),
  ];
  const shown = String(status ?? "---").padEnd(3);
  return [
    dim(new Date(request.at).toTimeString().slice(0, 8)),
    request.method.padEnd(4),
    printable(request.path).padEnd(30),
    status !== undefined && status < 300 ? green(shown) : red(shown),
    bold(printable(notes.join(", "))),
  ]
    .join("  ")
    .trimEnd();
}

const kindsAreIn = "See the kinds of faults: pulumi-data-connectivity emulator --help";

function readFaults({ pathOf }: Context, file: string): Fault[] {
  const isInline = file.trimStart().startsWith("[");
  const text = isInline ? file : readOr("The faults could not be read: ", () => readTextFile(pathOf(file)));
  const value = parseJson(text);
  if (value === undefined) throw new InputError(`${file} is not JSON. Accepted: an array of faults. ${kindsAreIn}`);
  return readOr(`${file} cannot be used:\n`, () => parseFaults(value), `\n${kindsAreIn}`);
}

function portFrom(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port is ${JSON.stringify(text)}. Accepted: a whole number from 0 to 65535.`);
}

/** A bearer token has no colon (RFC 6750), so anything before a colon is the account. */
function tokenFrom(text: string): { readonly account: string; readonly token: string } {
  const [, account = "", token = ""] = /^(?:([\w.-]+):)?([\x21-\x7e]+)$/.exec(text) ?? [];
  if (token !== "") return { account, token };
  throw new UsageError("--token is empty, or has a space, a line break or another character that no token has.");
}

function tableFrom(text: string): EmulatedTable {
  const [connection = "", schema = "", ...rest] = text.split(".");
  const table = rest.join(".");
  if (connection !== "" && schema !== "" && table !== "") return { connection, schema, table };
  throw new UsageError(`--table is ${JSON.stringify(text)}. Accepted: CONNECTION.SCHEMA.TABLE.`);
}

function runFrom(text: string): [job: string, run: EmulatedRun] {
  const [, job = "*", status, duration, rows] = /^(?:(.+)=)?([^=,]+)(?:,(\d{1,15}))?(?:,(\d{1,15}))?$/.exec(text) ?? [];
  if (status === undefined)
    throw new UsageError(`--run is ${JSON.stringify(text)}. Accepted: [JOB=]STATUS[,DURATION[,ROWS]].`);
  const run = { status, ...(duration && { duration: Number(duration) }), ...(rows && { rowsAffected: Number(rows) }) };
  return [job, run];
}

const publicKey = (file: string): KeyObject =>
  readOr("The file of --public-key cannot be used: ", () => createPublicKey(readFileSync(file)));

/** The account that a token is for; undefined if the token has expired or none of these keys signed it. */
function accountOfJwt(token: string, keys: readonly KeyObject[]): string | undefined {
  const end = token.lastIndexOf(".");
  const [signed, signature] = [Buffer.from(token.slice(0, end)), Buffer.from(token.slice(end + 1), "base64url")];
  if (!keys.some((key) => verify("sha256", signed, key, signature))) return undefined;
  const { sub, tokenType } = claimsOf(token) ?? {};
  const isCurrent = (expiryOf(token)?.ms ?? 0) > Date.now();
  return isCurrent && tokenType === "powered-by" && typeof sub === "string" ? sub : undefined;
}
