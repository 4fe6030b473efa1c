import { CreateSequence } from "../support/all/createSequence.js";
import { inThisProcess, testSequences } from "../support/all/sequencePlayer.js";
import { stopAll } from "../support/emulated.js";
import { casesOr } from "../support/lanes.js";

afterAll(stopAll);

testSequences(
  "Whatever breaks, no job is doubled or leaves the state, and what is reported of each create is true",
  { cases: casesOr(20), lanes: 16 },
  CreateSequence,
  inThisProcess({ jobOperations: "create" }),
  (steps) => {
    expect(steps).toEqual(expect.arrayContaining(["created", "same", "failed", "recorded", "read"]));
  },
);
