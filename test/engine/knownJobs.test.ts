import { describeWithEngine } from "../support/describeWithEngine.js";
import { playOnEngine } from "../support/scenarios/runOnEngine.js";
import { storiesOfKnownJobs } from "../support/scenarios/knownJobs.js";

describeWithEngine("On a real engine", () => {
  playOnEngine(storiesOfKnownJobs);
});
