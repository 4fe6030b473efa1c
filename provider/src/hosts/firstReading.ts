import { readFileSync } from "node:fs";
import { join } from "node:path";
import { membersOf, parseJson } from "../json.js";
import type { EngineAddress } from "./engine.js";
import { folderOfRun, noteFirst } from "./keptJobs.js";

/** What the engine had begun and not ended, and when the state was last written. */
export interface Reading {
  readonly savedAt: number | undefined;
  /** The type and the URN of each pending operation. */
  readonly pendingOperations: readonly string[];
}

/** Returns what the first of a run's provider processes read, for a process that reads later. */
export type FirstReading = (mine: Reading) => Reading;

/**
 * A run has a provider process for each provider. One that reads the state late finds what the run itself has begun and
 * written since: the first one's reading counts for all of them. If they cannot share it, each one's own counts.
 */
export const firstReadingOf =
  (engine: EngineAddress): FirstReading =>
  (mine) => {
    const file = join(folderOfRun(engine), "first-reading.json");
    try {
      noteFirst(file, mine);
      const { savedAt, pendingOperations } = membersOf(parseJson(readFileSync(file, "utf8")));
      if (!Array.isArray(pendingOperations)) return mine;
      return {
        savedAt: typeof savedAt === "number" ? savedAt : undefined,
        pendingOperations: pendingOperations.map(String),
      };
    } catch {
      return mine;
    }
  };
