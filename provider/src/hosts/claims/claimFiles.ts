import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "../../json.js";
import { makeRunFolder, type RunFolder } from "./runFolder.js";

/** A resource of the program that has something, or wants it. */
export interface Claimant {
  /** Tells it from every other resource of the run, whichever process asks. */
  readonly identity: string;
  /** How it is called in messages. */
  readonly label: string;
}

/** A process that dies between creating a file and writing it leaves a claim that names nobody. */
const unnamed: Claimant = { identity: "", label: "another resource of this run" };

/** A living process writes its claim at once, but on a busy machine it may have to wait between the two steps. */
const writtenWithinMs = 1000;

/** Claims as files of a folder: of all processes only one can create a file of a name. */
export class ClaimFiles {
  private hasFolder = false;

  constructor(private readonly folder: RunFolder) {}

  /** Takes it for a resource; where another one was first, that one is the answer. */
  take(what: string, claimant: Claimant): Claimant | undefined {
    if (!this.hasFolder) makeRunFolder(this.folder);
    this.hasFolder = true;
    for (;;) {
      if (createFile(this.pathOf(what), JSON.stringify(claimant))) return undefined;
      const holder = this.read(what);
      // It may be given back at this moment.
      if (holder !== undefined) return holder;
    }
  }

  /** Undefined where there is none. */
  read(what: string): Claimant | undefined {
    const path = this.pathOf(what);
    const end = performance.now() + writtenWithinMs;
    for (;;) {
      const content = contentOf(path);
      if (content === undefined) return undefined;
      const claimant = parseClaimant(content);
      if (claimant !== undefined) return claimant;
      if (performance.now() > end) return unnamed;
      pause(1);
    }
  }

  remove(what: string): void {
    rmSync(this.pathOf(what), { force: true });
  }

  /** A digest: not every file system tells capitals from small letters, and nobody should read what is claimed. */
  private pathOf(what: string): string {
    const name = createHash("sha256").update(what).digest("hex").slice(0, 32);
    return join(this.folder.root, this.folder.name, name);
  }
}

/** Lets other processes run: what is asked here is answered at once or not at all. */
const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

function parseClaimant(content: string): Claimant | undefined {
  const read = parseJson(content);
  if (!isObject(read)) return undefined;
  const { identity, label } = read;
  return typeof identity === "string" && typeof label === "string" ? { identity, label } : undefined;
}

/** Whether there was none yet. */
function createFile(path: string, content: string): boolean {
  try {
    writeFileSync(path, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (isObject(error) && error["code"] === "EEXIST") return false;
    throw error;
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isObject(error) && error["code"] === "ENOENT") return undefined;
    throw error;
  }
}
