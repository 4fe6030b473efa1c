import { inThisProcess, testSequences } from "../support/all/sequencePlayer.js";
import { SequenceRun } from "../support/all/sequenceRun.js";
import { stopAll } from "../support/emulated.js";
import { casesOr } from "../support/lanes.js";
import { isPlugin } from "../support/testedHost.js";

afterAll(stopAll);

testSequences(
  "Whatever breaks, no job is lost, doubled or taken from someone else, and the service becomes what is declared",
  { cases: casesOr(isPlugin ? 30 : 100), lanes: 16 },
  SequenceRun,
  inThisProcess(),
  (steps) => {
    // The few cases on the plugin do not always lose a job.
    const rare = isPlugin ? [] : ["gone"];
    expect(steps).toEqual(
      expect.arrayContaining(["created", "updated", "deleted", "read", "failed", "recorded", ...rare]),
    );
  },
);
