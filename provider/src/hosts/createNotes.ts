import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { membersOf, parseJson } from "../json.js";
import type { CreateNotes } from "../lifecycle/ownState.js";
import type { EngineAddress } from "./engine.js";
import { stackOf } from "./engineNames.js";
import { digestOf, folderOfRun, isOwn, userFolder } from "./keptJobs.js";

/** A create whose outcome was not seen by the process that sent it. */
export interface CreateNote {
  readonly urn: string;
  /** When it was sent, an ISO 8601 date-time in UTC. */
  readonly at: string;
}

/**
 * Notes about creates on this machine, for each program folder and stack: one file per create that is in flight or
 * unconfirmed. A folder that cannot be read or written must not fail a run.
 */
export class CreateNoteFiles implements CreateNotes {
  private readonly folder = userFolder();
  private readonly run: string;
  private prefix: { readonly stack: string; readonly text: string } | undefined;

  constructor(engine: EngineAddress) {
    this.run = folderOfRun(engine);
  }

  begin(urn: string, at: string): void {
    const write = () => {
      writeFileSync(this.fileOf(urn), JSON.stringify({ urn, at, run: this.run }), { mode: 0o600 });
      return true;
    };
    // Usually, the folder exists.
    if (quietly(write) === true) return;
    quietly(() => mkdirSync(this.folder, { recursive: true, mode: 0o700 }));
    quietly(write);
  }

  end(urn: string): void {
    quietly(() => {
      unlinkSync(this.fileOf(urn));
    });
  }

  /** The notes of a stack's earlier runs. */
  readonly ofEarlierRuns = (stack: string): readonly CreateNote[] => {
    const { folder } = this;
    const names = quietly(() => (isOwn(folder) ? readdirSync(folder) : [])) ?? [];
    const ofStack = names.filter((name) => name.startsWith(this.prefixOf(stack)));
    return ofStack.flatMap((name) => {
      const { urn, at, run } = membersOf(parseJson(quietly(() => readFileSync(join(folder, name), "utf8")) ?? ""));
      return typeof urn === "string" && typeof at === "string" && run !== this.run ? [{ urn, at }] : [];
    });
  };

  /** The prefix of the file names of a stack's notes. Cached: a process has many creates of one stack. */
  private prefixOf(stack: string): string {
    if (this.prefix?.stack !== stack)
      this.prefix = { stack, text: `create-${digestOf(JSON.stringify([process.cwd(), stack]))}-` };
    return this.prefix.text;
  }

  private fileOf(urn: string): string {
    return join(this.folder, `${this.prefixOf(stackOf(urn))}${digestOf(urn)}.json`);
  }
}

function quietly<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
