import { configFor, inProcessStack } from "../support/all/inProcess.js";
import { randomSequence, type Sequence } from "../support/all/randomSequence.js";
import { Repairable } from "../support/all/repairable.js";
import { SequenceRun } from "../support/all/sequenceRun.js";
import { stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { assertInLanes } from "../support/lanes.js";
import { isPlugin } from "../support/testedHost.js";

/** How many random sequences are played; a longer run: `PROPERTY_CASES=10000 npx jest test/lifecycle/allProperty`. */
const cases = Number(process.env["PROPERTY_CASES"] ?? (isPlugin ? 30 : 200));
/** Set it to the seed that a failure names, to see the same sequences again. */
const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000);

afterAll(stopAll);

test(
  `Whatever breaks, no job is lost, doubled or taken from someone else, and the service becomes what is declared (${cases} random sequences, seed ${seed})`,
  async () => {
    const steps = new Set<string>();
    const check = async (sequence: Sequence): Promise<void> => {
      const clock = new FastClock();
      const service = await Repairable.start(clock);
      const run = new SequenceRun(
        service,
        inProcessStack(
          () => configFor(service.emulator, { timeoutSeconds: sequence.timeoutSeconds }),
          () => ({ clock }),
        ),
      );
      await run.play(sequence);
      for (const step of run.steps) steps.add(step);
      expect({ violations: run.violations, log: run.violations.length > 0 ? run.log : [] }).toEqual({
        violations: [],
        log: [],
      });
      await service.emulator.stop();
    };
    await assertInLanes(randomSequence, check, { cases, seed, lanes: 16 });
    // All of these were met, or the sequences would prove nothing.
    expect([...steps]).toEqual(
      expect.arrayContaining(["created", "updated", "deleted", "read", "gone", "failed", "recorded"]),
    );
  },
  60_000 + cases * 1000,
);
