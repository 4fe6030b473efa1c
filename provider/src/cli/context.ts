import { buffer as bytesOf } from "node:stream/consumers";
import { fstatSync } from "node:fs";
import { resolve } from "node:path";
import { type Clock, systemClock } from "../client/clock.js";
import { type DocumentOf, type JsonMembers, jsonOf } from "./document.js";
import { decoded } from "./inputText.js";
import { printable } from "./text.js";

interface Writes {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** What a command needs from its process. */
export interface Host {
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  /** The folder in which the command was called. */
  readonly folder: string;
  readonly stdout: Writes;
  readonly stderr: Writes;
  /** Reads standard input to its end; undefined if nothing is piped into it: it is a terminal or /dev/null. */
  readStdin(): Promise<string | undefined>;
  /** Changes the working directory, in which the commands of the settings run. */
  enter(folder: string): void;
}

/** What a command gets: its host, and how it prints. */
export class Context {
  /** Whether a JSON document was printed. */
  hasDocument = false;

  constructor(readonly host: Host) {}

  /** The whole path of a file. */
  readonly pathOf = (name: string): string => resolve(this.host.folder, name);

  /** Prints lines to standard output. */
  readonly print = (...lines: readonly string[]): void => {
    const { stdout, env } = this.host;
    const isColoured = showsColours(stdout, env);
    for (const line of lines) stdout.write(`${isColoured ? line : plain(line)}\n`);
  };

  /** Prints one JSON document, with null for each member that is unknown. */
  readonly printJson = <const Members extends JsonMembers>(members: Members, document: DocumentOf<Members>): void => {
    this.hasDocument = true;
    this.print(jsonOf(members, document));
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
    folder: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    readStdin: async () => (fstatSync(0).isCharacterDevice() ? undefined : decoded(await bytesOf(process.stdin))),
    enter: (folder) => {
      process.chdir(folder);
    },
  });
