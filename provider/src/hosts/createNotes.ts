import { randomUUID } from "node:crypto";
import {
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { membersOf, parseJson } from "../json.js";
import type { CreateNotes } from "../lifecycle/ownState.js";
import type { EngineAddress } from "./engine.js";
import { stackOf } from "./engineNames.js";
import { digestOf, folderOfRun, isOwn, removedAtEnd, userFolder } from "./keptJobs.js";

/** A create whose outcome was not seen by the process that sent it. */
export interface CreateNote {
  readonly urn: string;
  /** When it was sent, an ISO 8601 date-time in UTC. */
  readonly at: string;
}

/** A file of this process with room for one note. */
interface NoteFile {
  readonly path: string;
  readonly descriptor: number;
  readonly stack: string;
}

/** How long a file without a note is left alone: its process may still write a note into it. */
const emptyForMs = 86_400_000;

/**
 * Notes about creates on this machine, for each program folder and stack: one file per create that is in flight or
 * unconfirmed. A folder that cannot be read or written must not fail a run. A process keeps its files open for its next
 * creates: writing into one takes a third of the time of making and removing one.
 */
export class CreateNoteFiles implements CreateNotes {
  private readonly folder = userFolder();
  private readonly run: string;
  /** By URN, the files with this process's notes. */
  private readonly used = new Map<string, NoteFile>();
  private readonly free: NoteFile[] = [];
  /** By stack, the notes of its earlier runs. */
  private readonly earlier = new Map<string, readonly (CreateNote & { readonly path: string })[]>();

  constructor(engine: EngineAddress) {
    this.run = folderOfRun(engine);
  }

  begin(urn: string, at: string): void {
    quietly(() => {
      const file = this.used.get(urn) ?? this.takeFile(stackOf(urn));
      this.used.set(urn, file);
      removedAtEnd.delete(file.path);
      const length = writeSync(file.descriptor, JSON.stringify({ urn, at, run: this.run }), 0);
      ftruncateSync(file.descriptor, length);
    });
  }

  end(urn: string): void {
    const file = this.used.get(urn);
    if (file !== undefined) {
      this.used.delete(urn);
      quietly(() => {
        ftruncateSync(file.descriptor);
        removedAtEnd.add(file.path);
        this.free.push(file);
      });
    }
    const stack = stackOf(urn);
    const earlier = this.earlier.get(stack) ?? this.readEarlier(stack);
    for (const { path } of earlier.filter((note) => note.urn === urn))
      quietly(() => {
        unlinkSync(path);
      });
  }

  /** The newest note of each create of a stack's earlier runs. */
  readonly ofEarlierRuns = (stack: string): readonly CreateNote[] => {
    const notes = [...this.readEarlier(stack)].sort((one, other) => (one.at < other.at ? -1 : 1));
    return [...new Map(notes.map((note) => [note.urn, note])).values()];
  };

  private readEarlier(stack: string) {
    const { folder } = this;
    const names = quietly(() => (isOwn(folder) ? readdirSync(folder) : [])) ?? [];
    const ofStack = names.filter((name) => name.startsWith(prefixOf(stack)));
    const notes = ofStack.flatMap((name) => {
      const path = join(folder, name);
      const { urn, at, run } = membersOf(parseJson(quietly(() => textOf(path)) ?? ""));
      return typeof urn === "string" && typeof at === "string" && run !== this.run ? [{ urn, at, path }] : [];
    });
    this.earlier.set(stack, notes);
    return notes;
  }

  /** A free file of this process, or a new one. */
  private takeFile(stack: string): NoteFile {
    const at = this.free.findIndex((file) => file.stack === stack);
    const [free] = at < 0 ? [] : this.free.splice(at, 1);
    if (free !== undefined) return free;
    const path = join(this.folder, `${prefixOf(stack)}${randomUUID()}.json`);
    const open = () => openSync(path, "wx", 0o600);
    // Usually, the folder exists.
    const descriptor = quietly(open) ?? (mkdirSync(this.folder, { recursive: true, mode: 0o700 }), open());
    return { path, descriptor, stack };
  }
}

/** The prefix of the file names of a stack's notes. */
const prefixOf = (stack: string): string => `create-${digestOf(JSON.stringify([process.cwd(), stack]))}-`;

/** The text of a file. Removes the file if it has had no note for so long that its process has ended. */
function textOf(path: string): string {
  const text = readFileSync(path, "utf8");
  if (text === "" && Date.now() - statSync(path).mtimeMs > emptyForMs) unlinkSync(path);
  return text;
}

function quietly<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
