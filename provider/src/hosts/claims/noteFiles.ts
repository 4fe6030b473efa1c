import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Holder } from "../../client/claims.js";
import { parseJson } from "../../json.js";
import { nameOf, readHolder } from "./holder.js";

/** What was read of the notes of another process. */
interface Read {
  bytes: number;
  readonly holders: Map<string, Holder>;
}

/**
 * Notes of the processes of a run, one file for each of them: a line is written in microseconds, a file in half a
 * millisecond, and each job of each preview is noted.
 */
export class NoteFiles {
  private own: number | undefined;
  private readonly others = new Map<string, Read>();
  private readonly ownName = `${process.pid}`;

  /** \`folder\`: where it exists or is made. */
  constructor(private readonly folder: string) {}

  write(what: string, holder: Holder): void {
    if (this.own === undefined) {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      this.own = openSync(join(this.folder, this.ownName), "a", 0o600);
    }
    writeSync(this.own, `${JSON.stringify([nameOf(what), holder])}\n`);
  }

  /** Who was noted by another process. */
  find(what: string): Holder | undefined {
    if (!existsSync(this.folder)) return undefined;
    const name = nameOf(what);
    const files = readdirSync(this.folder).filter((file) => file !== this.ownName);
    return files.map((file) => this.readNew(file).get(name)).find((holder) => holder !== undefined);
  }

  private readNew(file: string): ReadonlyMap<string, Holder> {
    const read = this.others.get(file) ?? { bytes: 0, holders: new Map<string, Holder>() };
    this.others.set(file, read);
    const path = join(this.folder, file);
    const added = Buffer.alloc(statSync(path).size - read.bytes);
    if (added.length === 0) return read.holders;
    readFrom(path, added, read.bytes);
    // The last line may not be written to its end yet.
    const complete = added.subarray(0, added.lastIndexOf("\n") + 1);
    read.bytes += complete.length;
    for (const line of complete.toString().split("\n")) {
      const note = parseJson(line);
      const holder = Array.isArray(note) ? readHolder(note[1]) : undefined;
      if (Array.isArray(note) && holder !== undefined) read.holders.set(String(note[0]), holder);
    }
    return read.holders;
  }
}

function readFrom(path: string, buffer: Buffer, position: number): void {
  const file = openSync(path, "r");
  try {
    readSync(file, buffer, 0, buffer.length, position);
  } finally {
    closeSync(file);
  }
}
