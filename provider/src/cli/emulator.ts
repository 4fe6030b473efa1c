import { readFileSync } from "node:fs";
import { parseJson } from "../json.js";
import type { Fault } from "../testing/emulator/faults.js";
import { replyUnder } from "../testing/emulator/faultyReply.js";
import { OPERATIONS, parseFaults } from "../testing/emulator/parseFaults.js";
import { startServer } from "../testing/emulator/server.js";
import type { Emulator, SeenRequest } from "../testing/emulator/types.js";
import { InputError, parseArguments, reasonOf, UsageError, type Command } from "./command.js";
import { bold, counted, dim, green, print, printable, red, shellWord } from "./text.js";

export const emulator: Command = {
  usage: `Usage: pulumi-data-connectivity emulator [--port N] [--token T] [--faults FILE] [--delay MS]

Runs an emulator of the service on 127.0.0.1 until Ctrl-C. Its jobs live in memory and are lost when
it ends.

  --port N       the port; default: a free one
  --token T      the token that is accepted; default: a random one
  --faults FILE  what goes wrong: a JSON array of faults
  --delay MS     milliseconds before each reply; default 0

Kinds of faults, with an example each:

  reply    answers with a status, and with headers and a body if given
           { "kind": "reply", "on": "create", "status": 429, "headers": { "Retry-After": "5" } }
  reset    breaks the connection by TCP RST
           { "kind": "reset", "on": "create", "processed": true }
  close    breaks the connection by TCP FIN, here in the middle of the reply
           { "kind": "close", "on": "sources", "when": "body" }
  silence  sends nothing until the client gives up
           { "kind": "silence", "on": "create", "after": 1 }
  delay    answers late
           { "kind": "delay", "ms": 2000, "times": -1 }

Members of every fault, all optional:

  on         the operation: ${OPERATIONS.join(", ")}; default: all
  after      how many requests pass first; default 0
  times      how many requests it is applied to; default 1, and -1 means all
  every      2 means each second request, and so on; default 1
  processed  true: the request takes effect before the fault; default false, but true for delay
`,

  async run(args) {
    const { values } = parseArguments({
      args: [...args],
      options: {
        port: { type: "string" },
        token: { type: "string" },
        faults: { type: "string" },
        delay: { type: "string" },
      },
    });
    const running = await start({
      port: wholeNumber("--port", values.port, 65_535),
      token: tokenFrom(values.token),
      faults: values.faults === undefined ? [] : readFaults(values.faults),
      delayMs: wholeNumber("--delay", values.delay, 3_600_000),
    });
    // Before the first line: whoever reads that line may end the emulator at once.
    const ended = signalToEnd();
    print(
      "The emulator runs. In the shell in which you call pulumi:",
      "",
      `  export DATA_CONNECTIVITY_BASE_URL=${running.baseUrl}`,
      `  export DATA_CONNECTIVITY_TOKEN=${shellWord(running.token)}`,
      "",
      dim("Requests appear here. Ctrl-C ends it."),
    );
    await ended;
    await running.stop();
    const made = running.requests.filter(({ operation, job }) => operation === "create" && job !== undefined);
    print("", `${counted(running.requests.length, "request")}, ${counted(made.length, "job")} made.`);
    return 0;
  },
};

interface Options {
  readonly port: number | undefined;
  readonly token: string | undefined;
  readonly faults: readonly Fault[];
  readonly delayMs: number | undefined;
}

async function start(options: Options): Promise<Emulator> {
  try {
    const onRequest = (request: SeenRequest): void => {
      print(logLine(request, running));
    };
    const running: Emulator = await startServer({ ...options, onRequest }, replyUnder);
    return running;
  } catch (error) {
    const inUse = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    throw new InputError(
      inUse
        ? `Port ${options.port ?? 0} is in use. Leave out --port to get a free one, or stop the program that uses it.`
        : `The emulator could not start: ${reasonOf(error)}`,
    );
  }
}

/** What the request did to a job; a deleted one is known by its id alone. */
function effectOf({ operation, job: id }: SeenRequest, jobs: Emulator["jobs"]): string[] {
  if (id === undefined) return [];
  const job = jobs.find((candidate) => candidate.id === id);
  const named = job === undefined ? `job ${id}` : `${job.jobType} job ${id} (${job.name})`;
  const verb = operation === "update" ? "changed" : operation === "delete" ? "deleted" : "made";
  return [`${verb} ${named}`];
}

function logLine(request: SeenRequest, { jobs }: Emulator): string {
  const { status } = request;
  const notes = [
    ...effectOf(request, jobs),
    ...(request.authorized ? [] : ["token not accepted"]),
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

function readFaults(file: string): Fault[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new InputError(`The faults could not be read: ${reasonOf(error)}`);
  }
  const value = parseJson(text);
  if (value === undefined) throw new InputError(`${file} is not JSON. Accepted: an array of faults. ${kindsAreIn}`);
  try {
    return parseFaults(value);
  } catch (error) {
    throw new InputError(`${file} cannot be used:\n${reasonOf(error)}\n${kindsAreIn}`);
  }
}

function wholeNumber(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} is ${JSON.stringify(text)}. Accepted: a whole number from 0 to ${most}.`);
}

function tokenFrom(text: string | undefined): string | undefined {
  if (text === undefined || /^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError("--token is empty, or has a space, a line break or another character that no token has.");
}

/** Resolves at Ctrl-C or SIGTERM. */
const signalToEnd = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
