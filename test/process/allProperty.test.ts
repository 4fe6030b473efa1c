import { configFor } from "../support/all/inProcess.js";
import type { RunProvider } from "../support/all/runProvider.js";
import { testSequences } from "../support/all/sequencePlayer.js";
import { SequenceRun } from "../support/all/sequenceRun.js";
import { SimulatedStack } from "../support/all/simulatedStack.js";
import { backdate } from "../support/all/unconfirmed.js";
import { startProvider } from "../support/configuredProvider.js";
import { start, stopAll } from "../support/emulated.js";
import { casesOr } from "../support/lanes.js";

afterAll(stopAll);

testSequences(
  "The provider process, too, loses and doubles no job, whatever breaks",
  // One, because each command starts a process. test/lifecycle plays many sequences.
  { cases: casesOr(1), lanes: 1, endOnFailure: true },
  SequenceRun,
  async ({ timeoutSeconds, service: { aheadMs } }) => {
    const now = Date.now;
    const emulator = await start({ now: () => now() + aheadMs });
    const startRun = () => {
      // Without faults, the timeout is long: the service always answers then, but late if the machine is busy.
      const config = configFor(emulator, { timeoutSeconds: emulator.isBroken ? timeoutSeconds : 120 });
      // One process has all providers of the run.
      let started: Promise<RunProvider> | undefined;
      return () => (started ??= startProvider(config, { DATA_CONNECTIVITY_LOG: "debug" }));
    };
    const stack = new SimulatedStack(startRun);
    const pass = (ms: number) => {
      backdate(stack, ms);
    };
    return { emulator, stack, now, pass };
  },
);
