import { describeWithEngine } from "../support/describeWithEngine.js";
import { runOnEngine } from "../support/scenarios/runOnEngine.js";
import { scenariosOfKnownJobs } from "../support/scenarios/knownJobs.js";

describeWithEngine("On a real engine", () => {
  runOnEngine(undefined, scenariosOfKnownJobs);
});
