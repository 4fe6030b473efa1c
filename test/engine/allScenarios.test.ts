import { describeWithEngine } from "../support/describeWithEngine.js";
import { scenariosWithAll } from "../support/scenarios/allOperations.js";
import { scenariosOfOwnership } from "../support/scenarios/ownership.js";
import { runOnEngine } from "../support/scenarios/runOnEngine.js";

describeWithEngine("On a real engine, with all job operations", () => {
  runOnEngine([...scenariosWithAll, ...scenariosOfOwnership]);
});
