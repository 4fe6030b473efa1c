import type { Settings } from "../config/index.js";

/** Takes the lines of the debug log, on standard error; undefined where the user did not ask for it. */
export function debugLog(settings: Settings): ((line: string) => void) | undefined {
  if (!settings.debug()) return undefined;
  return (line) => void process.stderr.write(`[data-connectivity] ${line}\n`);
}
