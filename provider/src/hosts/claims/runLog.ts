import { createHash, randomUUID } from "node:crypto";
import {
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { allSince, type Holder } from "../../client/service.js";
import { isObject, parseJson } from "../../json.js";
import { listens, type EngineAddress } from "../engine.js";

/**
 * No run takes this long. A log that is older belongs to a run that is over, so it is removed. If something still
 * listens on the port of that run's engine, the listener must be another process.
 */
const longestRunMs = 7 * 24 * 3600 * 1000;

/**
 * The log of the engine's run. Its name contains the engine's port, and a digest of the engine's host and log endpoint.
 * A later engine may listen on the same port, but is unlikely to have the same log endpoint too.
 */
export function logOfRun(engine: EngineAddress): OpenLog {
  const user = process.getuid === undefined ? "" : `-${process.getuid()}`;
  const run = digest([engine.host, process.env["PULUMI_LOG_OTLP_ENDPOINT"] ?? ""]);
  return logIn(join(tmpdir(), `pulumi-data-connectivity${user}`), `${machine()}-${engine.port}-${run}`);
}

/**
 * Creates the folder of all logs of this user. Does not use Node's recursive `mkdir`: where the system answers ENOENT,
 * for example in /proc, the recursive `mkdir` never returns.
 */
function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!isObject(error) || error["code"] !== "EEXIST") throw error;
  }
  const found = lstatSync(folder);
  // If another user owned this folder, that user could forge claims.
  if (!found.isDirectory() || (process.getuid !== undefined && found.uid !== process.getuid()))
    throw new Error(`${folder} belongs to another user`);
}

/** Removes the logs of finished runs. A log that cannot be removed now is removed by a later run. */
async function removeEarlierLogs(folder: string, current: string): Promise<void> {
  for (const name of readdirSync(folder).filter((other) => other !== current)) {
    try {
      if (await isOver(join(folder, name), name)) rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // Another process is removing the log.
    }
  }
}

async function isOver(path: string, name: string): Promise<boolean> {
  if (Date.now() - statSync(path).mtimeMs > longestRunMs) return true;
  // Containers may share the folder of all logs, but not a network. The ports of another container cannot be checked
  // from here, so only the age of its logs counts.
  const [onMachine, port] = name.split("-");
  return onMachine === machine() && !(await listens({ host: "127.0.0.1", port: Number(port) }));
}

const machine = () => digest([hostname(), network()]).slice(0, 8);

/**
 * This container's network, or `""` if the system does not name the network. Containers may have the same host name,
 * but their networks tell them apart.
 */
function network(): string {
  try {
    return readlinkSync("/proc/self/ns/net");
  } catch {
    return "";
  }
}

const digest = (parts: readonly string[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);

/** One claim, release or note of one process. */
export interface Entry {
  readonly process: string;
  readonly act: "take" | "giveBack" | "note";
  /** A digest of what is claimed. */
  readonly what: string;
  readonly holder?: Holder | undefined;
}

/** The entries of all processes of a run. Every process reads them in the same order. */
export type Log = Pick<RunLog, keyof RunLog>;

/** Opens the log. `onEntry` gets the entries of all processes in order, including the entries of this process. */
export type OpenLog = (onEntry: (entry: Entry) => void) => Log;

/** Opens the log with this name in the folder of all logs of this user, and removes the logs of finished runs. */
export const logIn =
  (folder: string, name: string): OpenLog =>
  (onEntry) => {
    makeFolder(folder);
    removeEarlierLogs(folder, name).catch(() => undefined);
    return new RunLog(join(folder, name), onEntry);
  };

/**
 * The log of one run: a file that all its processes append to. The operating system appends one write at a time, so all
 * processes read the same order. A file per entry would be ten times slower, and every job in a preview adds entries.
 */
class RunLog {
  /** Identifies this process in the entries. Not the system's process id, which a later process of the run may get. */
  readonly process = randomUUID().slice(0, 8);
  private readonly file: number;
  private bytesRead = 0;
  private readonly unwritten: Entry[] = [];

  constructor(
    path: string,
    private readonly onEntry: (entry: Entry) => void,
  ) {
    this.file = openSync(path, "a+", 0o600);
  }

  /** Queues an entry, which the next `sync` writes. */
  append(act: Entry["act"], what: string, holder?: Holder): void {
    this.unwritten.push({ process: this.process, act, what, holder });
  }

  /** Writes the queued entries, and reads all entries since the last `sync`. */
  sync(): void {
    if (this.unwritten.length > 0) this.write(this.unwritten.splice(0));
    const { size } = fstatSync(this.file);
    if (size > this.bytesRead) this.read(size - this.bytesRead);
  }

  private write(entries: readonly Entry[]): void {
    // Start a new line: a process that died while writing may have left an unfinished line.
    const lines = Buffer.from(`\n${entries.map((entry) => JSON.stringify(entry)).join("\n")}\n`);
    if (writeSync(this.file, lines) < lines.length) throw new Error("no space is left for its log");
  }

  private read(size: number): void {
    const added = Buffer.alloc(size);
    const length = readSync(this.file, added, 0, size, this.bytesRead);
    // Omit an unfinished last line: another process may still be writing it.
    const complete = added.subarray(0, added.lastIndexOf("\n", length - 1) + 1);
    this.bytesRead += complete.length;
    for (const line of complete.toString().trim().split("\n")) {
      const entry = readEntry(parseJson(line));
      if (entry !== undefined) this.onEntry(entry);
    }
  }
}

/** The entry in a line; undefined if the line is unfinished. */
function readEntry(value: unknown): Entry | undefined {
  if (!isObject(value)) return undefined;
  const { process, act, what, holder } = value;
  const isAct = act === "take" || act === "giveBack" || act === "note";
  if (typeof process !== "string" || !isAct || typeof what !== "string") return undefined;
  return { process, act, what, holder: readHolder(holder) };
}

function readHolder(value: unknown): Holder | undefined {
  if (!isObject(value)) return undefined;
  const { label, declaration, record } = value;
  const since = allSince.find((known) => known === value["since"]);
  if (typeof label !== "string" || typeof declaration !== "string" || typeof record !== "string") return undefined;
  return since && { label, declaration, record, since };
}
