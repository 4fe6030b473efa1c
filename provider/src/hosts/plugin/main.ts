import { engineAddress } from "../engineAddress.js";
import { configCalls } from "./configCalls.js";
import { endWithEngine } from "./endWithEngine.js";
import { EngineLog } from "./engineLog.js";
import { processCalls } from "./processCalls.js";
import { schemaText } from "./schema.js";
import { serve } from "./server.js";

// It holds the token in clear, and a `credentialsCommand` would inherit it.
delete process.env["PULUMI_CONFIG"];

const end = () => process.exit();
process.on("SIGINT", end).on("SIGTERM", end);

const log = new EngineLog();
const engine = engineAddress();
if (engine !== undefined) {
  log.connect(`${engine.host}:${engine.port}`);
  endWithEngine(engine, end);
}

void serve({
  ...processCalls({
    connect: (address) => {
      log.connect(address);
    },
    cancel: () => undefined,
    schema: schemaText,
  }),
  ...configCalls(() => undefined),
}).then((port) => {
  // The engine reads the port in the first line; what is printed besides is shown to nobody.
  process.stdout.write(`${port}\n`);
});
