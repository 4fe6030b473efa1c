import { describeWithEngine } from "../support/describeWithEngine.js";
import { playOnEngine } from "../support/scenarios/runOnEngine.js";
import { storiesOfDoubts } from "../support/scenarios/unconfirmedJobs.js";

describeWithEngine("On a real engine", () => {
  playOnEngine(storiesOfDoubts);
});
