import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { membersOf, parseJson } from "../json.js";
import type { CreateNotes } from "../lifecycle/ownState.js";
import type { EngineAddress } from "./engine.js";
import { stackOf } from "./engineNames.js";
import { digestOf, folderOfRun, isOwn, userFolder } from "./keptJobs.js";

/** A create whose outcome the process that sent it did not see. */
export interface CreateNote {
  readonly urn: string;
  /** When it was sent, an ISO 8601 date-time in UTC. */
  readonly at: string;
}

/**
 * Notes of the creates of each stack that runs from this program folder on this machine: a file for each create that is
 * in flight or unconfirmed. A folder that cannot be read or written must not fail a run.
 */
export class CreateNoteFiles implements CreateNotes {
  private readonly run: string;

  constructor(engine: EngineAddress) {
    this.run = folderOfRun(engine);
  }

  begin(urn: string, at: string): void {
    const folder = folderFor(stackOf(urn));
    quietly(() => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(fileIn(folder, urn), JSON.stringify({ urn, at, run: this.run }), { mode: 0o600 });
    });
  }

  end(urn: string): void {
    const folder = folderFor(stackOf(urn));
    quietly(() => {
      rmSync(fileIn(folder, urn), { force: true });
      // Fails as long as there is a note of another create.
      rmdirSync(folder);
    });
  }

  /** Those of a stack's earlier runs. */
  readonly ofEarlierRuns = (stack: string): readonly CreateNote[] => {
    const folder = folderFor(stack);
    const names = quietly(() => (isOwn(userFolder()) ? readdirSync(folder) : [])) ?? [];
    return names.flatMap((name) => {
      const { urn, at, run } = membersOf(parseJson(quietly(() => readFileSync(join(folder, name), "utf8")) ?? ""));
      return typeof urn === "string" && typeof at === "string" && run !== this.run ? [{ urn, at }] : [];
    });
  };
}

const folderFor = (stack: string): string =>
  join(userFolder(), `creates-${digestOf(JSON.stringify([process.cwd(), stack]))}`);

const fileIn = (folder: string, urn: string): string => join(folder, `${digestOf(urn)}.json`);

function quietly<Result>(use: () => Result): Result | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
