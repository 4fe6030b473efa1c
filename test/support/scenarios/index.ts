import { scenariosOfAdvice } from "./advice.js";
import { scenariosWithAll } from "./allOperations.js";
import { scenariosOfKnownJobs } from "./knownJobs.js";
import { scenariosOfOwnership } from "./ownership.js";
import { scenariosOfPlugin } from "./plugin.js";
import type { Scenario } from "./scenario.js";
import { scenariosOfUnconfirmedJobs } from "./unconfirmedJobs.js";

/** All scenarios but those of interruptions, which only an engine can time. */
export const scenarios: readonly Scenario[] = [
  ...scenariosOfKnownJobs,
  ...scenariosOfUnconfirmedJobs,
  ...scenariosWithAll,
  ...scenariosOfOwnership,
  ...scenariosOfAdvice,
  ...scenariosOfPlugin,
];
