/** A process that plays sequences of the simulated world. Its argument says which: see tasks.ts. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import type { Step } from "./command.js";
import { playSequence } from "./player.js";
import { taskSchema, type Task } from "./tasks.js";
import { randomSequence, type Sequence } from "./words.js";

async function main(): Promise<void> {
  const task = taskSchema.parse(JSON.parse(process.argv[2] ?? ""));
  const lines = task.what === "play" ? await play(task) : await traces(task);
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Too few to have each step. */
const fewCases = 1000;

/** The steps that must occur. */
const expected = {
  all: ["created", "same", "updated", "deleted", "failed", "recorded", "read", "gone"],
  create: ["created", "same", "failed", "recorded", "read"],
} as const;

/** Nothing, or the story of the shortest sequence that breaks a rule. */
async function play({ host, mode, cases, seed, path }: Task): Promise<readonly string[]> {
  const steps = new Set<Step>();
  const holds = async (sequence: Sequence) => {
    const played = await playSequence(mode, sequence);
    for (const step of played.steps) steps.add(step);
    return played.violations.length === 0;
  };
  const parameters = { numRuns: cases, seed, ...(path !== undefined && { path }) };
  const { counterexample, counterexamplePath, errorInstance } = await fc.check(
    fc.asyncProperty(randomSequence, holds),
    parameters,
  );
  const [sequence] = counterexample ?? [];
  if (sequence === undefined) {
    const missing = cases < fewCases || path !== undefined ? [] : expected[mode].filter((step) => !steps.has(step));
    if (missing.length > 0) process.exitCode = 1;
    return missing.map((step) => `WRONG: no sequence had the step "${step}", so they prove too little`);
  }
  process.exitCode = 1;
  const { violations, story } = await playSequence(mode, sequence, true).catch((error: unknown) => ({
    violations: [`the simulation itself fails: ${error instanceof Error ? (error.stack ?? error.message) : ""}`],
    story: [],
  }));
  const wrong =
    violations.length > 0 ? violations : [`it is played in another way each time: ${String(errorInstance)}`];
  return [
    ...story,
    "",
    ...wrong.map((text) => `WRONG: ${text}`),
    "",
    `The sequence: ${JSON.stringify(sequence)}`,
    `To play it again: WORLD_SEED=${seed} WORLD_PATH=${counterexamplePath ?? ""} npm run test:world -- ${host} ${mode}`,
  ];
}

/** A digest of how each sequence was played, to the last request and word. */
async function traces({ mode, cases, seed, isReversed }: Task): Promise<readonly string[]> {
  const sequences = [...fc.sample(randomSequence, { numRuns: cases, seed }).entries()];
  const lines: string[] = [];
  for (const [n, sequence] of isReversed === true ? sequences.reverse() : sequences) {
    const { trace } = await playSequence(mode, sequence);
    lines[n] = `sequence ${n}: ${createHash("sha256").update(trace).digest("hex")}`;
  }
  return lines;
}

void main();
