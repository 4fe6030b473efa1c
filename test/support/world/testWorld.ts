import fc from "fast-check";
import { casesOr } from "../lanes.js";
import { playSequence } from "./player.js";
import { randomSequence, type Sequence } from "./words.js";
import type { Mode } from "./world.js";

/**
 * The gate plays the same sequences each time, so that only a change makes it fail. For others, set `PROPERTY_SEED`, as
 * the workflow `property` does.
 */
const seed = Number(process.env["PROPERTY_SEED"] ?? 1);

/** The time limit for one sequence on a busy machine. */
const mostMsPerCase = 1000;

/** A test that many random sequences of a mode break no rule. A failure prints its seed and its shortest story. */
export function testWorld(mode: Mode, usual: number, expected: readonly string[]): void {
  const cases = casesOr(usual);
  test(
    `Whatever happens between any two awaits, no job is doubled, lost or a stranger's, and what is said is true (mode ${mode}, ${cases} sequences, seed ${seed})`,
    async () => {
      const steps = new Set<string>();
      const holds = async (sequence: Sequence) => {
        const played = await playSequence(mode, sequence);
        for (const step of played.steps) steps.add(step);
        return played.violations.length === 0;
      };
      const found = await fc.check(fc.asyncProperty(randomSequence, holds), { numRuns: cases, seed });
      const [sequence] = found.counterexample ?? [];
      if (sequence !== undefined) throw new Error(await storyOf(mode, sequence));
      expect([...steps]).toEqual(expect.arrayContaining([...expected]));
    },
    600_000 + cases * mostMsPerCase,
  );
}

/** A test that each sequence is played in the same way a second time, to the last request and word. */
export function testSameTwice(usual: number): void {
  const cases = casesOr(usual);
  test(
    `A seed always gives the same run (${cases} sequences of each mode, seed ${seed})`,
    async () => {
      for (const mode of ["all", "create"] as const)
        for (const sequence of fc.sample(randomSequence, { numRuns: cases, seed })) {
          const first = await playSequence(mode, sequence);
          const second = await playSequence(mode, sequence);
          expect(second.trace).toBe(first.trace);
        }
    },
    600_000 + 4 * cases * mostMsPerCase,
  );
}

async function storyOf(mode: Mode, sequence: Sequence): Promise<string> {
  const { violations, story } = await playSequence(mode, sequence, true);
  return [
    `Seed ${seed}, mode ${mode}, ${globalThis.testedHost}:`,
    JSON.stringify(sequence),
    ...story,
    "",
    ...violations.map((text) => `WRONG: ${text}`),
  ].join("\n");
}
