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

const recordedStory = z.object({ engine: z.string(), title: z.string(), steps: z.array(recordedStep) });

/** A story as a real engine played it: what it asked of the provider, in its order. */
export type RecordedStory = z.infer<typeof recordedStory>;
export type RecordedStep = z.infer<typeof recordedStep>;

const pathOf = (file: string) => resolve(__dirname, "../../recordings", `${file}.json`);

export function readStory(file: string): RecordedStory | undefined {
  return existsSync(pathOf(file)) ? recordedStory.parse(JSON.parse(readFileSync(pathOf(file), "utf8"))) : undefined;
}

export function writeStory(file: string, story: RecordedStory): void {
  writeFileSync(pathOf(file), `${JSON.stringify(recordedStory.parse(story), undefined, 1)}\n`);
}
