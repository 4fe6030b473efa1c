import { createHash } from "node:crypto";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isObject, membersOf, parseJson } from "../json.js";
import type { KeptJob, KeptJobs } from "../lifecycle/inventory/holders.js";
import { isRefused, type EngineAddress } from "./engine.js";

/** The folder of this user's notes, in the machine's temporary folder. */
export const userFolder = (): string =>
  join(tmpdir(), `pulumi-data-connectivity${process.getuid === undefined ? "" : `-${process.getuid()}`}`);

/**
 * The folder that the provider processes of an engine's run share. A later engine may listen on the same port, but is
 * unlikely to have the same log endpoint too.
 */
export const folderOfRun = ({ host, port }: EngineAddress): string =>
  join(
    userFolder(),
    [
      machine(),
      encodeURIComponent(host),
      port,
      digestOf(JSON.stringify([host, port, process.env["PULUMI_LOG_OTLP_ENDPOINT"] ?? ""])),
    ].join(","),
  );

/** The uses of a job, the most important first. */
const uses: readonly KeptJob["use"][] = ["adopted", "read", "named"];

/** The jobs that no provider process of the engine's run may delete, as a small file for each use of a job. */
export function keptJobsOfRun(engine: EngineAddress): KeptJobs {
  const folder = userFolder();
  const run = folderOfRun(engine);
  void removeKilledRuns(folder);
  const fileOf = (job: string, use: KeptJob["use"]): string => join(run, `${digestOf(job)}-${use}`);
  return {
    get: (job) =>
      isOwn(folder) ? uses.map((use) => noteIn(fileOf(job, use), use)).find((note) => note !== undefined) : undefined,
    set: (job, kept) => {
      noteFirst(fileOf(job, kept.use), kept);
    },
  };
}

/** Writes a note in the folder of a run, unless a process of the run has already written it. @throws if it cannot. */
export function noteFirst(file: string, note: object): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  isOwn(userFolder());
  const written = `${file}-${process.pid}`;
  writeFileSync(written, JSON.stringify(note), { mode: 0o600 });
  // A link: no process reads a half-written note, and the first note stays.
  try {
    linkSync(written, file);
    removedAtEnd.add(file);
  } catch (error) {
    if (!isObject(error) || error["code"] !== "EEXIST") throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

/** The files that this process removes when its run is over. */
export const removedAtEnd = new Set<string>();

/** Removes this process's notes, when its run is over. */
export function removeOwnNotes(): void {
  for (const file of removedAtEnd) rmSync(file, { force: true });
  for (const run of new Set([...removedAtEnd].map(dirname))) removeIfEmpty(run);
  removedAtEnd.clear();
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another process of the run has notes there, or has already removed it.
  }
}

/** Machines (such as containers) may share a folder, but a machine can only check whether its own engines live. */
const machine = (): string => digestOf(hostname()).slice(0, 8);

/** Removes the notes of runs whose engine is gone: a killed run cannot do so itself. */
async function removeKilledRuns(folder: string): Promise<void> {
  try {
    for (const name of isOwn(folder) ? readdirSync(folder) : []) {
      const [of, host = "", port] = name.split(",");
      const isOver = of === machine() && (await isRefused({ host: decodeURIComponent(host), port: Number(port) }));
      if (isOver) rmSync(join(folder, name), { recursive: true, force: true });
    }
  } catch {
    // The next run tries again.
  }
}

/** A short name for a file or folder that does not reveal the text. */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);

function noteIn(file: string, use: KeptJob["use"]): KeptJob | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const { label, key } = membersOf(parseJson(readFileSync(file, "utf8")));
  if (typeof label === "string" && typeof key === "string") return { use, label, key };
  throw new Error(`${file} cannot be read`);
}

/** Whether the folder exists. @throws if it belongs to another user, who could forge the notes. */
export function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory() || (process.getuid !== undefined && found.uid !== process.getuid()))
    throw new Error(`${folder} belongs to another user`);
  return true;
}
