import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { recordedCalls } from "../recordings.js";
import { seenRequest } from "../engineFixture.js";

const recordedStep = z.object({
  /** What the engine was asked to do, for reading. */
  run: z.string(),
  calls: recordedCalls,
  requests: z.array(seenRequest),
  /** What the state then held of the jobs, by name. */
  state: z.record(z.string(), z.object({ id: z.string().optional(), outputs: z.record(z.string(), z.json()) })),
});

const recordedScenario = z.object({ engine: z.string(), title: z.string(), steps: z.array(recordedStep) });

/** A scenario as a real engine ran it: its calls of the provider, in their order. */
export type RecordedScenario = z.infer<typeof recordedScenario>;
export type RecordedStep = z.infer<typeof recordedStep>;

const pathOf = (file: string) => resolve(__dirname, "../../recordings", `${file}.json`);

export function readRecording(file: string): RecordedScenario | undefined {
  return existsSync(pathOf(file)) ? recordedScenario.parse(JSON.parse(readFileSync(pathOf(file), "utf8"))) : undefined;
}

export function writeRecording(file: string, scenario: RecordedScenario): void {
  writeFileSync(pathOf(file), `${JSON.stringify(recordedScenario.parse(scenario), undefined, 1)}\n`);
}
