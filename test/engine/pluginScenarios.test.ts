import { describeWith, yaml } from "../support/plugin/languages.js";
import { scenarios } from "../support/scenarios/index.js";
import { runOnEngine } from "../support/scenarios/runOnEngine.js";

describeWith(yaml)("On a real engine, with the plugin", () => {
  runOnEngine("plugin", scenarios);
});
