import { join } from "node:path";
import { membersOf } from "../json.js";
import type { EngineAddress } from "./engine.js";
import { folderOfRun, noteFirst, noteIn } from "./keptJobs.js";

/** The engine's pending operations, and when the state was last written. */
export interface Reading {
  readonly savedAt: number | undefined;
  /** The type and the URN of each pending operation. */
  readonly pendingOperations: readonly string[];
}

/** Returns the reading of the run's first provider process, for a process that reads later. */
export type FirstReading = (mine: Reading) => Reading;

/**
 * A run has one provider process for each provider. A process that reads the state late also sees what the run itself has
 * begun and written, so the first process's reading counts for all. If they cannot share it, each uses its own.
 */
export const firstReadingOf =
  (engine: EngineAddress): FirstReading =>
  (mine) => {
    const file = join(folderOfRun(engine), "first-reading.json");
    try {
      noteFirst(file, mine);
      const { savedAt, pendingOperations } = membersOf(noteIn(file));
      if (!Array.isArray(pendingOperations)) return mine;
      return {
        savedAt: typeof savedAt === "number" ? savedAt : undefined,
        pendingOperations: pendingOperations.map(String),
      };
    } catch {
      return mine;
    }
  };
