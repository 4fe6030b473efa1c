import { playSequences } from "../support/all/sequencePlayer.js";
import { SequenceRun } from "../support/all/sequenceRun.js";
import { stopAll } from "../support/emulated.js";
import { isPlugin } from "../support/testedHost.js";

/** The number of random sequences. For a longer run: `PROPERTY_CASES=10000 npx jest test/lifecycle/allProperty`. */
const cases = Number(process.env["PROPERTY_CASES"] ?? (isPlugin ? 30 : 100));
/** To repeat the same sequences, set `PROPERTY_SEED` to the seed that a failure prints. */
const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000);

afterAll(stopAll);

test(
  `Whatever breaks, no job is lost, doubled or taken from someone else, and the service becomes what is declared (${cases} random sequences, seed ${seed})`,
  async () => {
    const steps = await playSequences(SequenceRun, {}, { cases, seed, lanes: 16 });
    // The sequences prove nothing unless every one of these steps occurred.
    expect(steps).toEqual(
      expect.arrayContaining(["created", "updated", "deleted", "read", "gone", "failed", "recorded"]),
    );
  },
  600_000 + cases * 1000,
);
