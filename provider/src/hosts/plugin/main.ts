import { parseJson } from "../../json.js";
import { Engine, engineAddress } from "../engine.js";
import { removeOwnNotes } from "../keptJobs.js";
import { listCall } from "./listCall.js";
import { processCalls } from "./processCalls.js";
import { resourceCalls } from "./resourceCalls.js";
import { PluginRun } from "./run.js";
import { serve } from "./server.js";

// Without these globals, axios does not load Node's fetch API. Loading it is slow, and we do not use it.
for (const name of ["fetch", "FormData", "Headers", "Request", "Response"]) Reflect.deleteProperty(globalThis, name);

const stackConfig = parseJson(process.env["PULUMI_CONFIG"] ?? "");

const endBy = (isByEngine: boolean) => () => {
  removeOwnNotes(isByEngine);
  process.exit();
};
process.on("SIGINT", endBy(true));

const engine = new Engine();
const address = engineAddress();
if (address !== undefined) engine.connect(address, endBy(false));

const plugin = new PluginRun(engine);
/** Whether the engine has configured this plugin. An engine that only needs the schema never configures it. */
export const isConfigured = (): boolean => plugin.isConfigured;
/** Resolves when the port has been sent to the engine. */
export const listening = serve({
  ...processCalls(plugin, process.env, stackConfig),
  ...resourceCalls(plugin),
  ...listCall(plugin),
}).then(({ port, end: answered }) => {
  // Treat a SIGTERM to all processes of a run as a Cancel: creates in flight finish and are recorded.
  process.on("SIGTERM", () => {
    plugin.cancel();
    // Keep the notes: the run's other processes may not have received the signal.
    void answered().then(() => process.exit());
  });
  // The engine reads the port from the first line of standard output, and hides the rest.
  process.stdout.write(`${port}\n`);
});
