import fc from "fast-check";
import { configFor } from "../support/all/inProcess.js";
import { randomSequence, withOneProvider } from "../support/all/randomSequence.js";
import { Repairable } from "../support/all/repairable.js";
import { SequenceRun } from "../support/all/sequenceRun.js";
import { SimulatedStack } from "../support/all/simulatedStack.js";
import { startProvider } from "../support/configuredProvider.js";
import { stopAll } from "../support/emulated.js";

/** The number of random sequences: 1, because each command starts a process. test/lifecycle runs many sequences. */
const cases = Number(process.env["PROPERTY_CASES"] ?? 1);
/** To repeat the same sequences, set `PROPERTY_SEED` to the seed that a failure prints. */
const seed = Number(process.env["PROPERTY_SEED"] ?? Date.now() % 1_000_000);

afterAll(stopAll);

test(
  `The provider process, too, loses and doubles no job, whatever breaks (${cases} random sequences, seed ${seed})`,
  async () => {
    const property = fc.asyncProperty(randomSequence, async (sequence) => {
      const service = await Repairable.start();
      // Without faults, the timeout is long: the service always answers then, but late if the machine is busy.
      const timeoutSeconds = () => (service.isBroken ? sequence.timeoutSeconds : 120);
      const stack = new SimulatedStack(
        () => () =>
          startProvider(configFor(service.emulator, { timeoutSeconds: timeoutSeconds() }), {
            DATA_CONNECTIVITY_LOG: "debug",
          }),
      );
      const run = new SequenceRun(service, stack);
      await run.play(withOneProvider(sequence));
      run.expectClean();
      await service.emulator.stop();
    });
    // The test does not shrink a failing sequence, because a shrunk sequence takes as long.
    await fc.assert(property, { numRuns: cases, seed, endOnFailure: true });
  },
  600_000 + cases * 60_000,
);
