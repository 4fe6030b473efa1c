import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isObject, membersOf, parseJson } from "../json.js";
import type { KeptJob, KeptJobs } from "../lifecycle/inventory/memory.js";
import { engineProcess } from "./cliProcess.js";
import type { EngineAddress } from "./engine.js";

/** The folder of this user's notes, in the machine's temporary folder. */
export const userFolder = (): string =>
  join(tmpdir(), `pulumi-data-connectivity${process.getuid === undefined ? "" : `-${process.getuid()}`}`);

/**
 * The folder that the provider processes of an engine's run share, by what only they have in common: the engine's
 * process and its two random ports. Other machines and containers may share the folder, and even the machine's name.
 */
export const folderOfRun = (engine: EngineAddress): string => {
  const { host, port } = engine;
  const logs = process.env["PULUMI_LOG_OTLP_ENDPOINT"] ?? "";
  return join(userFolder(), digestOf(JSON.stringify([hostname(), host, port, logs, engineProcess(engine)])));
};

/** The uses of a job, the most important first. */
const uses: readonly KeptJob["use"][] = ["adopted", "read", "named", "left"];

/** The jobs that no provider process of the engine's run may delete, as a small file for each use of a job. */
export function keptJobsOfRun(engine: EngineAddress): KeptJobs {
  const folder = userFolder();
  const run = folderOfRun(engine);
  removeOldRuns(folder);
  const fileOf = (job: string, use: KeptJob["use"]): string => join(run, `${digestOf(job)}-${use}`);
  return {
    get: (job) => {
      // Where this process can note nothing, the others could not either: then nothing shows that a job may be deleted.
      noteFirst(join(run, `${process.pid}-asks`), {});
      return uses.map((use) => keptIn(fileOf(job, use), use)).find((note) => note !== undefined);
    },
    set: (job, kept) => {
      noteFirst(fileOf(job, kept.use), kept);
      // The engine ends a process whose Provider leaves the stack, while the others still count who has left.
      if (kept.use === "left") removedAtEnd.delete(fileOf(job, kept.use));
    },
  };
}

/** Writes a note in the folder of a run, unless a process of the run has already written it. @throws if it cannot. */
export function noteFirst(file: string, note: object): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  isOwn(userFolder());
  try {
    writeFileSync(file, JSON.stringify(note), { mode: 0o600, flag: "wx" });
    removedAtEnd.add(file);
  } catch (error) {
    if (!isObject(error) || error["code"] !== "EEXIST") {
      // Half a note would stop the other processes.
      rmSync(file, { force: true });
      throw error;
    }
  }
}

/** How long to wait for a process of the run that is writing a note, in milliseconds. */
const writingMs = 1000;

/** A note in the folder of a run; undefined if there is none. @throws if it stays incomplete. */
export function noteIn(file: string): unknown {
  const end = performance.now() + writingMs;
  while (statSync(file, { throwIfNoEntry: false }) !== undefined) {
    const note = parseJson(readFileSync(file, "utf8"));
    if (note !== undefined) return note;
    if (performance.now() > end) throw new Error(`${file} cannot be read`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
  return undefined;
}

/** The files that this process removes when its run is over. */
export const removedAtEnd = new Set<string>();

/** Those that it removes only if the engine itself ends its run: without the engine, nobody has recorded what they note. */
export const removedByEngine = new Set<string>();

/** Removes this process's notes, when its run is over. `isByEngine`: whether the engine has ended it. */
export function removeOwnNotes(isByEngine: boolean): void {
  for (const file of [...removedAtEnd, ...(isByEngine ? removedByEngine : [])]) rmSync(file, { force: true });
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

/** How long the notes of a killed run are kept, which cannot remove them itself: longer than any run. */
const keptMs = 7 * 86_400_000;

/** Removes the notes of runs that have written none for so long. Nothing else shows that a run of another machine is over. */
function removeOldRuns(folder: string): void {
  try {
    for (const name of isOwn(folder) ? readdirSync(folder) : []) {
      const run = statSync(join(folder, name));
      if (run.isDirectory() && Date.now() - run.mtimeMs > keptMs)
        rmSync(join(folder, name), { recursive: true, force: true });
    }
  } catch {
    // The next run tries again.
  }
}

/** A short name for a file or folder that does not reveal the text. */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);

function keptIn(file: string, use: KeptJob["use"]): KeptJob | undefined {
  const note = noteIn(file);
  if (note === undefined) return undefined;
  const { label, key } = membersOf(note);
  if (typeof label === "string" && typeof key === "string") return { use, label, key };
  throw new Error(`${file} cannot be read`);
}

/** Whether the folder exists. @throws if it is something else or of another user, who could forge the notes. */
export function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory() || (process.getuid !== undefined && found.uid !== process.getuid()))
    throw new Error(`${folder} is not a folder of this user`);
  return true;
}
