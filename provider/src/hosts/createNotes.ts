import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../finding.js";
import { isObject, membersOf, parseJson } from "../json.js";
import type { Place } from "../client/accountClient.js";
import { isSentTo, type CreateNote, type CreateNotes } from "../lifecycle/ownState.js";
import type { EngineAddress } from "./engine.js";
import { digestOf, folderOfRun, isOwn, removedByEngine, userFolder } from "./keptJobs.js";

/** A note of an earlier run, or of another one that is still going. */
export interface EarlierNote extends CreateNote {
  readonly path: string;
}

/** Notes that a host writes and reads. */
export interface ReadableNotes extends CreateNotes {
  /** The notes of the program's folder, without those of this run. */
  ofEarlierRuns(): readonly EarlierNote[];
  /** Removes a note of a create that the state records. */
  remove(note: EarlierNote): void;
}

/**
 * Notes about creates on this machine: one small file for each create in flight, made and removed. A note that stays is
 * of a create whose end its process did not see. All stacks of a program's folder share them, because a stack, a project or
 * a resource may be renamed.
 */
export class CreateNoteFiles implements ReadableNotes {
  private readonly folder = userFolder();
  private readonly run: string;
  /** By URN, the files of this process's notes. */
  private readonly own = new Map<string, string>();
  /** The notes that this process has read last. */
  private known: readonly EarlierNote[] = [];
  private readonly said = new Set<string>();

  constructor(
    engine: EngineAddress,
    private readonly report: Report,
  ) {
    this.run = folderOfRun(engine);
  }

  begin(note: CreateNote): void {
    this.orReport("written", () => {
      if (!isOwn(this.folder)) mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const path = this.own.get(note.urn) ?? join(this.folder, `${prefix()}${randomUUID()}.json`);
      this.own.set(note.urn, path);
      // Renamed: no other process reads a half-written note.
      writeFileSync(`${path}-`, JSON.stringify({ ...note, run: this.run }), { mode: 0o600, flag: "wx" });
      renameSync(`${path}-`, path);
    });
  }

  end(urn: string): void {
    const path = this.own.get(urn);
    if (path === undefined) return;
    this.own.delete(urn);
    this.orReport("removed", () => {
      rmSync(path, { force: true });
    });
  }

  keep(urn: string): void {
    const path = this.own.get(urn);
    if (path !== undefined) removedByEngine.add(path);
  }

  readonly ofEarlierRuns = (): readonly EarlierNote[] =>
    this.orReport("read", () => {
      if (!isOwn(this.folder)) return [];
      const names = readdirSync(this.folder).filter((name) => name.startsWith(prefix()) && name.endsWith(".json"));
      // Each on its own: a note that cannot be read hides no other.
      return (this.known = names.flatMap(
        (name) => this.orReport("read", () => this.earlierIn(join(this.folder, name))) ?? [],
      ));
    }) ?? [];

  private earlierIn(path: string): EarlierNote[] {
    const text = textOf(path);
    if (text === undefined) return [];
    const members = membersOf(parseJson(text));
    const { run } = members;
    const note = noteIn(members);
    if (note === undefined) {
      this.say(damaged(path));
      return [];
    }
    return run === this.run ? [] : [{ ...note, path }];
  }

  settle(urn: string, place: Place): void {
    for (const note of this.known) if (note.urn === urn && isSentTo(note, place)) this.remove(note);
  }

  readonly remove = ({ path }: EarlierNote): void => {
    this.orReport("removed", () => {
      rmSync(path, { force: true });
    });
  };

  /** Without the notes, a run goes on, and says why, each reason once. */
  private orReport<Result>(done: "written" | "read" | "removed", use: () => Result): Result | undefined {
    try {
      return use();
    } catch (error) {
      this.say(cannotNote(done, error));
      return undefined;
    }
  }

  private say(text: string): void {
    if (!this.said.has(text)) this.report({ severity: "warning", text });
    this.said.add(text);
  }
}

const damaged = (path: string): string =>
  `${path} is not a note that this version can read. If a process was killed in the create that it is about, this run does not know of that create, and may create its job again. Look into the file for its resource, then remove the file.`;

const cannotNote = (done: string, error: unknown): string =>
  `The notes about creates in flight cannot be ${done} (${error instanceof Error ? error.message : String(error)}). If only a provider process is killed, they are the only trace of its creates: the next run may then create a job again. Set TMPDIR (on Windows, TEMP) to a folder that this user can read and write.`;

/** The text of a file; undefined if the file has just been removed. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isObject(error) && error["code"] === "ENOENT") return undefined;
    throw error;
  }
}

function noteIn(members: Readonly<Record<string, unknown>>): CreateNote | undefined {
  const { urn, at, sentMs, flightMs, baseUrl, account, subject, declared } = members;
  if (typeof urn !== "string" || typeof at !== "string" || typeof sentMs !== "number") return undefined;
  if (typeof baseUrl !== "string" || !isObject(declared)) return undefined;
  const named = typeof account === "string" ? account : undefined;
  return {
    ...{ urn, at, sentMs, baseUrl, account: named, declared },
    ...(typeof flightMs === "number" && { flightMs }),
    ...(typeof subject === "string" && { subject }),
  };
}

/** The prefix of the file names of the program's folder. */
const prefix = (): string => `create-${digestOf(process.cwd())}-`;
