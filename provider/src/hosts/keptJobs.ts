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
import { isObject, membersOf, parseJson } from "../json.js";
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
  const folder = join(tmpdir(), `pulumi-data-connectivity${user}`);
  const run = join(folder, digestOf(JSON.stringify([host, port, process.env["PULUMI_LOG_OTLP_ENDPOINT"] ?? ""])));
  const fileOf = (job: string, use?: KeptJob["use"]): string =>
    join(run, `${digestOf(job)}${use === "adopted" ? "-adopted" : ""}`);
  return {
    get: (job) => (isOwn(folder) ? (noteIn(fileOf(job, "adopted")) ?? noteIn(fileOf(job))) : undefined),
    set: (job, kept) => {
      mkdirSync(run, { recursive: true, mode: 0o700 });
      isOwn(folder);
      for (const other of readdirSync(folder).map((name) => join(folder, name)))
        if (Date.now() - (statSync(other, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > longestRunMs)
          rmSync(other, { recursive: true, force: true });
      const file = fileOf(job, kept.use);
      const written = `${file}-${process.pid}`;
      writeFileSync(written, JSON.stringify(kept), { mode: 0o600 });
      // Renamed or linked, so that no process reads a part of it. The first adoption of a job stays.
      try {
        if (kept.use === "adopted") linkSync(written, file);
        else renameSync(written, file);
      } catch (error) {
        if (!isObject(error) || error["code"] !== "EEXIST") throw error;
      } finally {
        rmSync(written, { force: true });
      }
    },
  };
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);

function noteIn(file: string): KeptJob | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
  const { use, label, key } = membersOf(parseJson(readFileSync(file, "utf8")));
  const isNote = (use === "named" || use === "adopted" || use === "read") && typeof label === "string";
  if (isNote && typeof key === "string") return { use, label, key };
  throw new Error(`${file} cannot be read`);
}

/** Whether the folder exists. @throws if it belongs to another user, who could forge the notes. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory() || (process.getuid !== undefined && found.uid !== process.getuid()))
    throw new Error(`${folder} belongs to another user`);
  return true;
}
