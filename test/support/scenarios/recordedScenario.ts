import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { seenRequest, token } from "../engineFixture.js";
import { recordedCall, recordedCalls, type RecordedCall } from "../recordings.js";

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

/**
 * One line of a recording: a step, or one of its calls. The engine begins each process with a `configure`, which has no
 * line of its own: its `config` is in the step.
 */
const recordedLine = z.union([
  recordedScenario.pick({ engine: true }).strict(),
  recordedStep
    .omit({ calls: true })
    .extend(recordedCall.pick({ config: true }).shape)
    .strict(),
  recordedCall,
]);

const configured = (process: number, config: RecordedCall["config"]): RecordedCall => ({
  process,
  method: "configure",
  config,
  response: {},
});

/** The members whose values repeat. The first line with a value names it; later lines have only the name. */
const named = new Set(["config", "olds", "news", "properties", "inputs", "body"]);
const firstUse = z.strictObject({ as: z.string(), is: z.json() });
const hiddenToken = "<token>";

/**
 * The scenarios whose calls are kept for tests without an engine. Each has calls, or an order of calls, that no other
 * of them has. The engine's own tests run all scenarios.
 */
export const recordedFiles: readonly string[] = [
  ...["decideDuringUp", "stayUnconfirmed"],
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
  const valueOf = (key: string, value: unknown) => {
    if (!named.has(key)) return value;
    const { data } = firstUse.safeParse(value);
    if (data !== undefined) values.set(data.as, data.is);
    return values.get(data?.as ?? value) ?? value;
  };
  let configOfStep: RecordedCall["config"];
  for (const line of text.replaceAll(hiddenToken, token).trim().split("\n")) {
    const entry = recordedLine.parse(JSON.parse(line, valueOf));
    if ("engine" in entry) scenario.engine = entry.engine;
    else if ("run" in entry) {
      const { config, ...step } = entry;
      configOfStep = config;
      scenario.steps.push({ ...step, calls: [] });
    } else {
      const calls = scenario.steps.at(-1)?.calls ?? [];
      const isFirst = !calls.some(({ process }) => process === entry.process);
      if (isFirst && entry.method !== "configure") calls.push(configured(entry.process, configOfStep));
      calls.push(entry);
    }
  }
  return scenario;
}

export function writeRecording(file: string, scenario: RecordedScenario): void {
  writeFileSync(pathOf(file), `${linesOf(scenario).join("\n").replaceAll(token, hiddenToken)}\n`);
}

function linesOf({ engine, steps }: RecordedScenario): string[] {
  const names = new Map<string, string>();
  const line = (entry: object, subject?: string) =>
    JSON.stringify(entry, (key, value: unknown) => {
      const text = JSON.stringify(value);
      if (!named.has(key) || value === undefined || text === "{}") return value;
      const known = names.get(text);
      if (known !== undefined) return known;
      const name = `${subject ?? key} ${names.size + 1}`;
      names.set(text, name);
      return { as: name, is: value };
    });
  return [
    line({ engine }),
    ...steps.flatMap(({ calls, ...step }) => {
      const config = calls.find(({ method }) => method === "configure")?.config;
      // A process that makes no other call has its line.
      const own = calls.filter(
        (call, n) =>
          call.process !== calls[n + 1]?.process || !isDeepStrictEqual(call, configured(call.process, config)),
      );
      return [line({ ...step, config }), ...own.map((call) => line(call, call.name))];
    }),
  ];
}
