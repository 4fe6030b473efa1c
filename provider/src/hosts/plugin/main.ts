import { parseJson } from "../../json.js";
import { engineAddress } from "../engine.js";
import { configCalls } from "./configCalls.js";
import { EngineLog } from "./engineLog.js";
import { invokeCalls } from "./invokeCalls.js";
import { processCalls, schemaText } from "./processCalls.js";
import { resourceCalls } from "./resourceCalls.js";
import { PluginRun } from "./run.js";
import { serve } from "./server.js";

// axios would load Node's fetch API, which takes as long as its own code, and use none of it.
for (const name of ["fetch", "FormData", "Headers", "Request", "Response"]) Reflect.deleteProperty(globalThis, name);

// It holds the token in clear, and a `credentialsCommand` would inherit it.
const stackConfig = parseJson(process.env["PULUMI_CONFIG"] ?? "");
delete process.env["PULUMI_CONFIG"];

const end = () => process.exit();
process.on("SIGINT", end);

const log = new EngineLog();
const engine = engineAddress();
if (engine !== undefined) {
  log.connect(`${engine.host}:${engine.port}`);
  // The engine holds the other end of this pipe. Killed, it stops no plugin, but its pipes close. /dev/null only ends, it does not close.
  process.stdin.resume().once("close", end);
}

const plugin = new PluginRun(log);
/** Whether the engine wants more of this process than its schema. */
export const isConfigured = (): boolean => plugin.isConfigured;
/** Fulfilled when the engine knows the port. */
export const listening = serve({
  ...processCalls({
    attach: async (address) => {
      await plugin.attach(address);
      log.connect(address);
    },
    cancel: () => {
      plugin.cancel();
    },
    schema: schemaText,
  }),
  ...configCalls(
    (settings, name) => {
      plugin.configure(settings, name);
    },
    process.env,
    stackConfig,
  ),
  ...resourceCalls(plugin),
  ...invokeCalls(plugin),
}).then(({ port, end: answered }) => {
  // Whoever ends all processes of a run means a Cancel: the create in flight is answered, and recorded.
  process.on("SIGTERM", () => {
    plugin.cancel();
    void answered().then(end);
  });
  // The engine reads the port from the first line, and shows nothing else.
  process.stdout.write(`${port}\n`);
});
