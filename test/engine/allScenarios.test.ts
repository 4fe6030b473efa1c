import { describeWithEngine } from "../support/describeWithEngine.js";
import { scenariosWithAll } from "../support/scenarios/allOperations.js";
import { scenariosOfOwnership } from "../support/scenarios/ownership.js";
import { scenariosOfUnconfirmedAdvice } from "../support/scenarios/unconfirmedAdvice.js";
import { scenariosOfAdvice } from "../support/scenarios/advice.js";
import { runOnEngine } from "../support/scenarios/runOnEngine.js";

describeWithEngine("On a real engine, with all job operations", () => {
  runOnEngine(undefined, [
    ...scenariosWithAll,
    ...scenariosOfOwnership,
    ...scenariosOfAdvice,
    ...scenariosOfUnconfirmedAdvice,
  ]);
});
