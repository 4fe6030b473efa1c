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

/** One line of a recording. Each value has its own line, before the first line that refers to it. */
const recordedLine = z.union([
  recordedScenario.pick({ engine: true }).strict(),
  recordedStep.pick({ run: true }).strict(),
  z.strictObject({ value: z.string(), is: z.json() }),
  recordedCall,
  seenRequest.strict(),
]);

const namedValues = new Set(["config", "olds", "news", "properties", "inputs", "body"]);
const hiddenToken = "<token>";

/**
 * The scenarios whose calls are kept for tests without an engine. Each has calls, or an order of calls, that no other
 * of them has. The engine's own tests run all scenarios.
 */
export const recordedFiles: readonly string[] = [
  ...["decideDuringUp", "recordOnly", "stayUnconfirmed", "replace"],
  ...["deleteAndCreateAgain", "secondJob", "renamedAndReplaced", "retainedReplacement"],
  ...["plugin/all", "plugin/create", "plugin/replaceUnprotected", "plugin/keptByItsName"],
  ...["plugin/values", "plugin/unknownValues", "plugin/interruptedWith-all", "plugin/interruptedUnanswered"],
];

const pathOf = (file: string) => resolve(__dirname, "../../recordings", `${file}.jsonl`);

export function readRecording(file: string): RecordedScenario {
  const path = pathOf(file);
  if (!existsSync(path)) throw new Error(`There is no recording of ${file}. Make it: npm run record`);
  return scenarioIn(readFileSync(path, "utf8"));
}

function scenarioIn(text: string): RecordedScenario {
  const scenario: RecordedScenario = { engine: "", steps: [] };
  const values = new Map<unknown, unknown>();
  const valueOf = (key: string, value: unknown) => (namedValues.has(key) ? (values.get(value) ?? value) : value);
  for (const line of text.replaceAll(hiddenToken, token).trim().split("\n")) {
    const entry = recordedLine.parse(JSON.parse(line, valueOf));
    if ("engine" in entry) scenario.engine = entry.engine;
    else if ("run" in entry) scenario.steps.push({ ...entry, calls: [], requests: [] });
    else if ("value" in entry) values.set(entry.value, entry.is);
    else if ("process" in entry) scenario.steps.at(-1)?.calls.push(entry);
    else scenario.steps.at(-1)?.requests.push(entry);
  }
  return scenario;
}

export function writeRecording(file: string, scenario: RecordedScenario): void {
  writeFileSync(pathOf(file), `${linesOf(scenario).join("\n").replaceAll(token, hiddenToken)}\n`);
}

function linesOf({ engine, steps }: RecordedScenario): string[] {
  const lines = [JSON.stringify({ engine })];
  const names = new Map<string, string>();
  const nameOf = (value: unknown, subject: string) => {
    const text = JSON.stringify(value);
    const name = names.get(text) ?? `${subject} ${names.size + 1}`;
    if (!names.has(text)) lines.push(JSON.stringify({ value: name, is: value }));
    names.set(text, name);
    return name;
  };
  const add = (entry: object, subject?: string) => {
    const line = JSON.stringify(entry, (key, value: unknown) =>
      namedValues.has(key) && value !== undefined ? nameOf(value, subject ?? key) : value,
    );
    lines.push(line);
  };
  for (const { run, calls, requests } of steps) {
    add({ run });
    for (const call of calls) add(call, call.name);
    for (const request of requests) add(request);
  }
  return lines;
}
