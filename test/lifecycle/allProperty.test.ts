import fc from "fast-check";
import { configFor, inProcessStack } from "../support/all/inProcess.js";
import { randomSequence } from "../support/all/randomSequence.js";
import { Repairable } from "../support/all/repairable.js";
import { SequenceRun } from "../support/all/sequenceRun.js";
import { stopAll } from "../support/emulated.js";

/** How many random sequences are played; a longer run: `PROPERTY_CASES=500 npx jest test/lifecycle/allProperty`. */
const cases = Number(process.env["PROPERTY_CASES"] ?? 24);
/** Set it to the seed that a failure names, to see the same sequences again. */
const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000);
/** Most sequences wait for retries and timeouts, so several are under way at once. */
const lanes = 8;

afterAll(stopAll);

test(
  `Whatever breaks, no job is lost, doubled or taken from someone else, and the service becomes what is declared (${cases} random sequences, seed ${seed})`,
  async () => {
    const steps = new Set<string>();
    const property = fc.asyncProperty(randomSequence, async (sequence) => {
      const service = await Repairable.start();
      const run = new SequenceRun(
        service,
        inProcessStack(() => configFor(service.emulator)),
      );
      await run.play(sequence);
      for (const step of run.steps) steps.add(step);
      expect({ violations: run.violations, log: run.violations.length > 0 ? run.log : [] }).toEqual({
        violations: [],
        log: [],
      });
      await service.emulator.stop();
    });
    const share = Math.ceil(cases / lanes);
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) => fc.assert(property, { numRuns: share, seed: seed + lane })),
    );
    // All of these were met, or the sequences would prove nothing.
    expect([...steps]).toEqual(
      expect.arrayContaining(["created", "updated", "deleted", "read", "gone", "failed", "recorded"]),
    );
  },
  60_000 + cases * 10_000,
);
