import { createPublicKey, verify, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type CallName, callNames } from "../client/calls.js";
import { claimsOf, expiryOf } from "../client/token.js";
import { membersOf, parseJson } from "../json.js";
import type { Fault } from "../testing/emulator/faults.js";
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
  about: ["Runs an emulator of the service on 127.0.0.1 until Ctrl-C. Its jobs are lost when it stops."],
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
    faults: { type: "string", value: "FILE", help: "what goes wrong: a JSON array of faults" },
  },
  forms: { "": { answers: "How does a program behave without an account?", requests: [] } },
  passes: "after Ctrl-C",
  fails: "if a file or the port cannot be used",
  example: ["pulumi-data-connectivity emulator --port 8080 --token test"],
  more: `Kinds of faults, with an example of each:

  reply    replies with this status, and with headers and a body if given
           { "kind": "reply", "on": "create", "status": 429, "headers": { "Retry-After": "5" } }
  reset    breaks the connection with a TCP RST
           { "kind": "reset", "on": "create", "processed": true }

Members of every fault, all optional:

  on         ${wrapped(`one of ${callNames.join(", ")}; default: all`, 87).join(`\n${" ".repeat(13)}`)}
  after      how many requests pass first; default 0
  times      how many requests the fault applies to; default 1, and -1 means all
  processed  true: the request takes effect before the fault; default false
`,

  async run(context, values) {
    const { print } = context;
    const tokens = (values.token ?? []).map(tokenFrom);
    const keys = (values["public-key"] ?? []).map((file) => publicKey(context.pathOf(file)));
    const running = await start(context, {
      port: values.port === undefined ? undefined : portFrom(values.port),
      token: tokens[0]?.token,
      tokens: Object.fromEntries(tokens.map(({ token, account }) => [token, account])),
      accountOf: (token) => accountOfJwt(token, keys),
      tables: values.table?.map(tableFrom),
      runs: Object.fromEntries((values.run ?? []).map(runFrom)),
      faults: values.faults === undefined ? [] : readFaults(context, values.faults),
    });
    // Call it before printing the first line, because a reader of that line may stop the emulator at once.
    const ended = Promise.race(["SIGINT", "SIGTERM"].map((signal) => once(process, signal)));
    print(
      "The emulator runs. In the shell in which you call pulumi:",
      "",
      `  export DATA_CONNECTIVITY_BASE_URL=${running.baseUrl}`,
      `  export DATA_CONNECTIVITY_TOKEN=${shellWord(running.token)}`,
      ...tokens
        .slice(1)
        .map(({ account, token }) => `  # or ${shellWord(token)}${account && `, of the account ${account}`}`),
      "",
      dim("Requests appear here. Ctrl-C ends it."),
    );
    await ended;
    await running.stop();
    const made = running.requests.filter(({ operation, job }) => operation === "create" && job !== undefined);
    print("", `${counted(running.requests.length, "request")}, ${counted(made.length, "job")} made.`);
    return 0;
  },
});

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
  const text = readOr("The faults could not be read: ", () => readTextFile(pathOf(file)));
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
