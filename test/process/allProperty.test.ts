import { configFor } from "../support/all/inProcess.js";
import { Repairable } from "../support/all/repairable.js";
import type { RunProvider } from "../support/all/runProvider.js";
import { testSequences } from "../support/all/sequencePlayer.js";
import { SequenceRun } from "../support/all/sequenceRun.js";
import { SimulatedStack } from "../support/all/simulatedStack.js";
import { startProvider } from "../support/configuredProvider.js";
import { stopAll } from "../support/emulated.js";
import { casesOr } from "../support/lanes.js";

afterAll(stopAll);

testSequences(
  "The provider process, too, loses and doubles no job, whatever breaks",
  // One, because each command starts a process. test/lifecycle plays many sequences.
  { cases: casesOr(1), lanes: 1, endOnFailure: true },
  SequenceRun,
  async ({ timeoutSeconds }) => {
    const service = await Repairable.start();
    const startRun = () => {
      // Without faults, the timeout is long: the service always answers then, but late if the machine is busy.
      const config = configFor(service.emulator, { timeoutSeconds: service.isBroken ? timeoutSeconds : 120 });
      // One process has all providers of the run.
      let started: Promise<RunProvider> | undefined;
      return () => (started ??= startProvider(config, { DATA_CONNECTIVITY_LOG: "debug" }));
    };
    return { service, stack: new SimulatedStack(startRun) };
  },
);
