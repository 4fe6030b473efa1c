import { describeWith, yaml } from "../support/plugin/languages.js";
import { runOnEngine } from "../support/scenarios/runOnEngine.js";
import { scenariosOfPlugin } from "../support/scenarios/plugin.js";

describeWith(yaml)("On a real engine, with the plugin", () => {
  runOnEngine(scenariosOfPlugin);
});
