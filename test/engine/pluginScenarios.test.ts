import { describeWith, yaml } from "../support/plugin/languages.js";
import { scenariosOfAdvice } from "../support/scenarios/advice.js";
import { scenariosWithAll } from "../support/scenarios/allOperations.js";
import { scenariosOfInterruptions } from "../support/scenarios/interrupted.js";
import { scenariosOfKnownJobs } from "../support/scenarios/knownJobs.js";
import { scenariosOfOwnership } from "../support/scenarios/ownership.js";
import { scenariosOfPlugin } from "../support/scenarios/plugin.js";
import { runOnEngine } from "../support/scenarios/runOnEngine.js";
import { scenariosOfUnconfirmedAdvice } from "../support/scenarios/unconfirmedAdvice.js";
import { scenariosOfUnconfirmedJobs } from "../support/scenarios/unconfirmedJobs.js";

describeWith(yaml)("On a real engine, with the plugin", () => {
  runOnEngine("plugin", [
    ...scenariosOfPlugin,
    ...scenariosOfInterruptions,
    ...scenariosOfKnownJobs,
    ...scenariosOfUnconfirmedJobs,
    ...scenariosWithAll,
    ...scenariosOfOwnership,
    ...scenariosOfAdvice,
    ...scenariosOfUnconfirmedAdvice,
  ]);
});
