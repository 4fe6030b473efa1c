import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, parseJson } from "../json.js";
import type { KeptJob, KeptJobs } from "../lifecycle/inventory/holders.js";
import type { EngineAddress } from "./engine.js";

/** No run takes this long. */
const longestRunMs = 7 * 24 * 3600 * 1000;

/**
 * The jobs that no provider process of the engine's run may delete, as one small file for each job. A later engine may
 * listen on the same port, but is unlikely to have the same log endpoint too.
 */
export function keptJobsOfRun({ host, port }: EngineAddress): KeptJobs {
  const user = process.getuid === undefined ? "" : `-${process.getuid()}`;
  const run = digestOf(JSON.stringify([host, port, process.env["PULUMI_LOG_OTLP_ENDPOINT"] ?? ""]));
  return new KeptJobFiles(join(tmpdir(), `pulumi-data-connectivity${user}`), run);
}

class KeptJobFiles implements KeptJobs {
  constructor(
    private readonly folder: string,
    private readonly run: string,
  ) {}

  get(job: string): KeptJob | undefined {
    if (!isOwn(this.folder)) return undefined;
    const text = textIn(this.fileOf(job));
    const kept = text === undefined ? undefined : parseJson(text);
    if (text === undefined) return undefined;
    if (!isObject(kept)) throw new Error(`${this.fileOf(job)} cannot be read`);
    const { use, label } = kept;
    return { use: use === "named" || use === "read" ? use : "adopted", label: String(label) };
  }

  set(job: string, kept: KeptJob): void {
    makeFolder(this.folder);
    isOwn(this.folder);
    removeOldRuns(this.folder);
    makeFolder(join(this.folder, this.run));
    const file = this.fileOf(job);
    // Renamed, so that no process reads a part of it.
    const written = `${file}-${process.pid}`;
    writeFileSync(written, JSON.stringify(kept), { mode: 0o600 });
    renameSync(written, file);
  }

  private fileOf(job: string): string {
    return join(this.folder, this.run, digestOf(job));
  }
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** Whether the folder exists. @throws if it belongs to another user, who could forge the notes. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory() || (process.getuid !== undefined && found.uid !== process.getuid()))
    throw new Error(`${folder} belongs to another user`);
  return true;
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!isObject(error) || error["code"] !== "EEXIST") throw error;
  }
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isObject(error) && error["code"] === "ENOENT") return undefined;
    throw error;
  }
}

function removeOldRuns(folder: string): void {
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && Date.now() - found.mtimeMs > longestRunMs)
      rmSync(path, { recursive: true, force: true });
  }
}
