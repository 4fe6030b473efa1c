import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { isObject } from "../../json.js";
import { engineAddress, listens } from "../engineAddress.js";

/** No run takes as long. What is older is removed even if another program listens on its engine's port now. */
const longestRunMs = 7 * 24 * 3600 * 1000;

/**
 * The folder that the processes of one run share. Each is started by the same engine and so has its address; a later engine
 * may listen on the same port, but hardly with the same endpoint for logs too, which the engine hands to its processes.
 */
export interface RunFolder {
  /** The folder of all runs of this user. */
  readonly root: string;
  readonly name: string;
}

/** Undefined where no engine started this process: then it is alone. */
export function runFolder(
  engine = engineAddress(),
  logEndpoint = process.env["PULUMI_LOG_OTLP_ENDPOINT"],
): RunFolder | undefined {
  if (engine === undefined) return undefined;
  const user = process.getuid === undefined ? "" : `-${process.getuid()}`;
  const root = join(tmpdir(), `pulumi-data-connectivity${user}`);
  return { root, name: `${machine()}-${engine.port}-${digest([engine.host, logEndpoint ?? ""])}` };
}

/** Makes the folder, and removes those of runs that are over. */
export function makeRunFolder({ root, name }: RunFolder): void {
  makeFolder(root);
  const { uid } = lstatSync(root);
  // In a folder that belongs to another user anybody could say which jobs are whose.
  if (!lstatSync(root).isDirectory() || (process.getuid !== undefined && uid !== process.getuid()))
    throw new Error(`${root} belongs to another user`);
  makeFolder(join(root, name));
  void removeEarlierRuns(root, name);
}

/** Node's recursive `mkdir` never ends below a folder that answers each attempt with ENOENT, such as /proc. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isObject(error) || error["code"] !== "EEXIST") throw error;
  }
}

async function removeEarlierRuns(root: string, current: string): Promise<void> {
  for (const name of readdirSync(root).filter((other) => other !== current)) {
    try {
      if (await isOver(join(root, name), name)) rmSync(join(root, name), { recursive: true, force: true });
    } catch {
      // Another process removes it at this moment.
    }
  }
}

async function isOver(path: string, name: string): Promise<boolean> {
  if (Date.now() - statSync(path).mtimeMs > longestRunMs) return true;
  // Containers may share a folder and not a network: of another machine's ports nothing can be said here.
  const [, onMachine, port] = /^([0-9a-f]+)-(\d+)-/.exec(name) ?? [];
  return onMachine === machine() && !(await listens({ host: "127.0.0.1", port: Number(port) }));
}

const machine = () => digest([hostname(), network()]).slice(0, 8);

/** What tells containers of one name apart, where the system has it: each of their networks has ports of its own. */
function network(): string {
  try {
    return readlinkSync("/proc/self/ns/net");
  } catch {
    return "";
  }
}

const digest = (parts: readonly string[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
