import { text as streamText } from "node:stream/consumers";
import { fstatSync } from "node:fs";
import { resolve } from "node:path";
import { type Clock, systemClock } from "../client/clock.js";
import { printable } from "./text.js";

interface Writes {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** What a command uses of its process. */
export interface Host {
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Writes;
  readonly stderr: Writes;
  /** Reads standard input to its end; undefined if nothing is piped into it: it is a terminal or /dev/null. */
  readStdin(): Promise<string | undefined>;
  /** The working directory: names of files are relative to it, and the commands of the settings run in it. */
  folder(): string;
  /** Changes the working directory. */
  enter(folder: string): void;
}

/** What a command gets: its host, and how it prints. */
export class Context {
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  /** Whether a JSON document was printed. */
  hasDocument = false;
  readonly #isColoured: boolean;

  constructor(private readonly host: Host) {
    this.clock = host.clock;
    this.env = host.env;
    this.#isColoured = showsColours(host.stdout, host.env);
  }

  readonly readStdin = (): Promise<string | undefined> => this.host.readStdin();

  /** The whole path of a file or folder. */
  readonly pathOf = (name: string): string => resolve(this.host.folder(), name);

  readonly enter = (folder: string): void => {
    this.host.enter(folder);
  };

  /** Prints lines to standard output. */
  readonly print = (...lines: readonly string[]): void => {
    for (const line of lines) this.host.stdout.write(`${this.#isColoured ? line : plain(line)}\n`);
  };

  /** Prints one JSON document, with null for each undefined member. */
  readonly printJson = (document: object): void => {
    this.hasDocument = true;
    this.print(JSON.stringify(document, (_, value: unknown) => value ?? null, 2));
  };

  /** Prints one line to standard error, to keep it out of the command's output. */
  readonly complain = (line: string): void => {
    this.host.stderr.write(`${printable(line)}\n`);
  };
}

/** Whether colours are shown: in a terminal that supports them, unless the user opted out (https://no-color.org). */
const showsColours = ({ isTTY }: Writes, env: NodeJS.ProcessEnv): boolean =>
  isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";

const plain = (line: string): string => line.replace(/\u001b\[\d+m/g, "");

export const processContext = (): Context =>
  new Context({
    clock: systemClock,
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    readStdin: async () => (fstatSync(0).isCharacterDevice() ? undefined : streamText(process.stdin)),
    folder: () => process.cwd(),
    enter: (folder) => {
      process.chdir(folder);
    },
  });
