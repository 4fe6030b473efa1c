import { describeWithEngine } from "../support/describeWithEngine.js";
import { scenarios } from "../support/scenarios/index.js";
import { runOnEngine } from "../support/scenarios/runOnEngine.js";

describeWithEngine("On a real engine, with the classes", () => {
  runOnEngine("dynamic", scenarios);
});
