import { createHash } from "node:crypto";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, parseJson } from "../json.js";
import type { KeptJob, KeptJobs } from "../lifecycle/inventory/holders.js";
import type { EngineAddress } from "./engine.js";

/** No run takes this long. */
const longestRunMs = 7 * 24 * 3600 * 1000;

/**
 * The jobs that no provider process of the engine's run may delete, as a small file for each job, and one for its
 * adoption. A later engine may listen on the same port, but is unlikely to have the same log endpoint too.
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
    return noteIn(this.fileOf(job, "adopted")) ?? noteIn(this.fileOf(job));
  }

  set(job: string, kept: KeptJob): void {
    makeFolder(this.folder);
    isOwn(this.folder);
    removeOldRuns(this.folder);
    makeFolder(join(this.folder, this.run));
    const file = this.fileOf(job, kept.use);
    // Renamed or linked, so that no process reads a part of it.
    const written = `${file}-${process.pid}`;
    writeFileSync(written, JSON.stringify(kept), { mode: 0o600 });
    if (kept.use !== "adopted") {
      renameSync(written, file);
      return;
    }
    unlessThere(() => {
      linkSync(written, file);
    });
    rmSync(written);
  }

  private fileOf(job: string, use?: KeptJob["use"]): string {
    return join(this.folder, this.run, `${digestOf(job)}${use === "adopted" ? "-adopted" : ""}`);
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

const makeFolder = (folder: string): void => {
  unlessThere(() => {
    mkdirSync(folder, { mode: 0o700 });
  });
};

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!isObject(error) || error["code"] !== "EEXIST") throw error;
  }
}

function noteIn(file: string): KeptJob | undefined {
  const text = textIn(file);
  if (text === undefined) return undefined;
  const kept = parseJson(text);
  if (!isObject(kept)) throw new Error(`${file} cannot be read`);
  const { use, label, key } = kept;
  return { use: use === "named" || use === "read" ? use : "adopted", label: String(label), key: String(key) };
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
