import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { seenRequest, token } from "../engineFixture.js";
import { recordedCall, recordedCalls } from "../recordings.js";

const recordedStep = z.object({
  /** What the engine was asked to do, for human readers. */
  run: z.string(),
  calls: recordedCalls,
  requests: z.array(seenRequest),
});

const recordedScenario = z.object({ engine: z.string(), steps: z.array(recordedStep) });

/** A scenario as a real engine ran it: its calls to the provider, in order. */
export type RecordedScenario = z.infer<typeof recordedScenario>;
export type RecordedStep = z.infer<typeof recordedStep>;

/** One line of a recording: the engine's version, a step, or one of the step's calls. */
const recordedLine = z.union([
  recordedScenario.pick({ engine: true }).strict(),
  recordedStep.omit({ calls: true }).strict(),
  recordedCall,
]);

const hiddenToken = "<token>";

/**
 * The scenarios whose calls are kept for tests without an engine. Each has calls, or an order of calls, that none of the
 * others has. The engine's own tests run all scenarios.
 */
export const recordedFiles: readonly string[] = [
  ...["decideDuringUp", "stayUnconfirmed"],
  ...["deleteAndCreateAgain", "secondJob", "renamedAndReplaced", "retainedReplacement"],
  ...["plugin/all", "plugin/create", "plugin/replaceUnprotected", "plugin/keptByItsName"],
  ...["plugin/values"],
];

const pathOf = (file: string) => resolve(__dirname, "../../recordings", `${file}.jsonl`);

export function readRecording(file: string): RecordedScenario {
  const path = pathOf(file);
  if (!existsSync(path)) throw new Error(`There is no recording of ${file}. Make it: npm run record`);
  return scenarioIn(readFileSync(path, "utf8"));
}

function scenarioIn(text: string): RecordedScenario {
  const scenario: RecordedScenario = { engine: "", steps: [] };
  for (const line of text.replaceAll(hiddenToken, token).trim().split("\n")) {
    const entry = recordedLine.parse(JSON.parse(line));
    if ("engine" in entry) scenario.engine = entry.engine;
    else if ("run" in entry) scenario.steps.push({ ...entry, calls: [] });
    else scenario.steps.at(-1)?.calls.push(entry);
  }
  return scenario;
}

export function writeRecording(file: string, { engine, steps }: RecordedScenario): void {
  const lines = [{ engine }, ...steps.flatMap(({ calls, ...step }) => [step, ...calls])];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(pathOf(file), text.replaceAll(token, hiddenToken));
}
