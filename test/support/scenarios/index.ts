import { scenariosOfAdvice } from "./advice.js";
import { scenariosWithAll } from "./allOperations.js";
import { scenariosOfInterruptions } from "./interrupted.js";
import { scenariosOfKnownJobs } from "./knownJobs.js";
import { scenariosOfOwnership } from "./ownership.js";
import { scenariosOfPlugin } from "./plugin.js";
import type { Scenario } from "./scenario.js";
import { scenariosOfUnconfirmedJobs } from "./unconfirmedJobs.js";

/** All scenarios. `recordedFiles` names those that are replayed without an engine. */
export const scenarios: readonly Scenario[] = [
  ...scenariosOfKnownJobs,
  ...scenariosOfUnconfirmedJobs,
  ...scenariosWithAll,
  ...scenariosOfOwnership,
  ...scenariosOfAdvice,
  ...scenariosOfPlugin,
  ...scenariosOfInterruptions,
];
