import { createHash } from "node:crypto";
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

export interface Entry {
  readonly process: string;
  readonly act: "take" | "giveBack" | "note";
  /** A digest of what is claimed. */
  readonly what: string;
  readonly holder?: Holder | undefined;
}

/**
 * Writes entries to the log of a run, and returns the entries of all processes since the last call, including this
 * process's own. Every process gets them in the same order.
 */
export type Exchange = (entries: readonly Entry[]) => Entry[];
export type OpenLog = () => Exchange;

/**
 * Opens the log with this name in the folder of all logs of this user, and removes the logs of finished runs. All
 * processes append to one file. The operating system appends one write at a time, so all processes read the same order.
 * A file per entry would be ten times slower, and every job in a preview adds entries.
 */
export const logIn =
  (folder: string, name: string): OpenLog =>
  () => {
    makeFolder(folder);
    removeEarlierLogs(folder, name).catch(() => undefined);
    const file = openSync(join(folder, name), "a+", 0o600);
    let bytesRead = 0;
    return (entries) => {
      if (entries.length > 0) append(file, entries);
      if (fstatSync(file).size <= bytesRead) return [];
      const lines = completeLinesFrom(file, bytesRead);
      bytesRead += lines.length;
      return lines.toString().split("\n").flatMap(entryIn);
    };
  };

function append(file: number, entries: readonly Entry[]): void {
  // Start a new line: a process that died while writing may have left an unfinished line.
  const lines = Buffer.from(`\n${entries.map((entry) => JSON.stringify(entry)).join("\n")}\n`);
  if (writeSync(file, lines) < lines.length) throw new Error("no space is left for its log");
}

/** Omits an unfinished last line: another process may still be writing it. */
function completeLinesFrom(file: number, position: number): Buffer {
  const added = Buffer.alloc(fstatSync(file).size - position);
  const length = readSync(file, added, 0, added.length, position);
  return added.subarray(0, added.lastIndexOf("\n", length - 1) + 1);
}

/** The entry in a line; none if the line is empty or unfinished. */
function entryIn(line: string): Entry[] {
  const value = parseJson(line);
  if (!isObject(value)) return [];
  const { process, act, what, holder } = value;
  const isAct = act === "take" || act === "giveBack" || act === "note";
  if (typeof process !== "string" || !isAct || typeof what !== "string") return [];
  return [{ process, act, what, holder: readHolder(holder) }];
}

function readHolder(value: unknown): Holder | undefined {
  if (!isObject(value)) return undefined;
  const { label, declaration, record } = value;
  const since = allSince.find((known) => known === value["since"]);
  if (typeof label !== "string" || typeof declaration !== "string" || typeof record !== "string") return undefined;
  return since && { label, declaration, record, since };
}
