import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Holder } from "../../client/claims.js";
import { isObject, parseJson } from "../../json.js";
import { nameOf, readHolder } from "./holder.js";

/** A process that dies between creating a file and writing it leaves a claim that names nobody. */
const unnamed: Holder = { label: "Another resource", declaration: "", record: "", since: "adopted" };

/** A living process writes its claim at once, but on a busy machine it may have to wait between the two steps. */
const writtenWithinMs = 1000;

/** Claims as files of a folder: of all processes only one can create a file of a name. */
export class ClaimFiles {
  /** `folder` exists. */
  constructor(private readonly folder: string) {}

  /** Takes it for a resource; where another one was first, that one is the answer. */
  take(what: string, holder: Holder): Holder | undefined {
    for (;;) {
      if (createFile(this.pathOf(what), JSON.stringify(holder))) return undefined;
      const first = this.read(what);
      // It may be given back at this moment.
      if (first !== undefined) return first;
    }
  }

  /** Undefined where there is none. */
  read(what: string): Holder | undefined {
    const path = this.pathOf(what);
    const end = performance.now() + writtenWithinMs;
    for (;;) {
      const content = contentOf(path);
      if (content === undefined) return undefined;
      const holder = readHolder(parseJson(content));
      if (holder !== undefined) return holder;
      if (performance.now() > end) return unnamed;
      pause(1);
    }
  }

  remove(what: string): void {
    rmSync(this.pathOf(what), { force: true });
  }

  private pathOf(what: string): string {
    return join(this.folder, nameOf(what));
  }
}

/** Lets other processes run: what is asked here is answered at once or not at all. */
const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

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
  // Mostly there is none, and an error that is thrown takes twenty times as long.
  if (!existsSync(path)) return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isObject(error) && error["code"] === "ENOENT") return undefined;
    throw error;
  }
}
