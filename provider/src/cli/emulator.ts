import { readFileSync } from "node:fs";
import { parseJson } from "../json.js";
import { parseFaults, startTestServer, type TestServer, type TestServerRequest } from "../testing/emulator/index.js";
import type { Fault } from "../testing/emulator/faults.js";
import { InputError, parseArguments, reasonOf, UsageError, type Command } from "./command.js";
import { bold, counted, dim, green, print, printable, red } from "./text.js";

export const emulator: Command = {
  usage: `Usage: pulumi-data-connectivity emulator [--port N] [--token T] [--faults FILE] [--delay MS]

Runs an emulator of the service on 127.0.0.1 until Ctrl-C. Its jobs live in memory and are gone with it.

  --port N       the port; default: a free one
  --token T      the token that is accepted; default: a random one
  --faults FILE  misbehaviour to play, as a JSON list: [{ "kind": "reply", "on": "create", "status": 503 }]
  --delay MS     milliseconds before each reply; default 0
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
    // Before the first line: who reads it may end the emulator at once.
    const ended = toldToEnd();
    print(
      "The emulator runs. In the shell in which you call pulumi:",
      "",
      `  export DATA_CONNECTIVITY_BASE_URL=${running.baseUrl}`,
      `  export DATA_CONNECTIVITY_TOKEN=${quoted(running.token)}`,
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

async function start(options: Options): Promise<TestServer> {
  try {
    const running: TestServer = await startTestServer({
      ...options,
      onRequest: (request) => {
        print(logLine(request, running));
      },
    });
    return running;
  } catch (error) {
    const taken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    throw new InputError(
      taken
        ? `Port ${options.port ?? 0} is taken. Leave --port out for a free one, or end what listens there.`
        : `The emulator could not start: ${reasonOf(error)}`,
    );
  }
}

/** What the request did to a job; a deleted one is known by its id alone. */
function effectOf({ operation, job: id }: TestServerRequest, jobs: TestServer["jobs"]): string[] {
  if (id === undefined) return [];
  const job = jobs.find((candidate) => candidate.id === id);
  const named = job === undefined ? `job ${id}` : `${job.jobType} job ${id} (${job.name})`;
  const verb = operation === "update" ? "changed" : operation === "delete" ? "deleted" : "made";
  return [`${verb} ${named}`];
}

function logLine(request: TestServerRequest, { jobs }: TestServer): string {
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

function readFaults(file: string): Fault[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new InputError(`The faults could not be read: ${reasonOf(error)}`);
  }
  const value = parseJson(text);
  if (value === undefined) throw new InputError(`${file} is not JSON: a list of faults is expected.`);
  try {
    return parseFaults(value);
  } catch (error) {
    throw new InputError(`${file} holds no faults that can be played:\n${reasonOf(error)}`);
  }
}

function wholeNumber(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) <= most) return Number(text);
  throw new UsageError(`${option} is ${JSON.stringify(text)}. Accepted: a whole number from 0 to ${most}.`);
}

function tokenFrom(text: string | undefined): string | undefined {
  if (text === undefined || /^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError("--token is empty, or holds a space, a line break or another character that no token has.");
}

const quoted = (text: string): string =>
  /^[\w.~-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Ctrl-C, or a polite request to end. */
const toldToEnd = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => {
        resolve();
      });
    }
  });
