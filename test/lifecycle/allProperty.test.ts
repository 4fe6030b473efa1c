import { inThisProcess, testSequences } from "../support/all/sequencePlayer.js";
import { SequenceRun } from "../support/all/sequenceRun.js";
import { stopAll } from "../support/emulated.js";
import { casesOr } from "../support/lanes.js";

afterAll(stopAll);

const cases = casesOr(20);

testSequences(
  "Whatever breaks, no job is lost, doubled or taken from someone else, and the service becomes what is declared",
  { cases, lanes: 16 },
  SequenceRun,
  inThisProcess(),
  (steps) => {
    // Few cases do not always lose a job.
    const rare = cases < 100 ? [] : ["gone"];
    expect(steps).toEqual(
      expect.arrayContaining(["created", "updated", "deleted", "read", "failed", "recorded", ...rare]),
    );
  },
);
