import { describeWithEngine } from "../support/describeWithEngine.js";
import { runOnEngine } from "../support/scenarios/runOnEngine.js";
import { scenariosOfUnconfirmedJobs } from "../support/scenarios/unconfirmedJobs.js";

describeWithEngine("On a real engine", () => {
  runOnEngine(undefined, scenariosOfUnconfirmedJobs);
});
