import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimsOf } from "../../provider/src/client/token.js";
import { version } from "../../provider/src/version.js";
import { declaration } from "./declaration.js";
import { start } from "./emulated.js";
import { succeeds } from "./engine.js";
import { exampleFolder } from "./example.js";
import { PackedPlugin } from "./plugin/archives.js";
import { startStack } from "./startStack.js";

/** A copy of `examples/fleet` with these customers, the plugin, and a service in which each has an account. */
export async function startFleet(customers: Readonly<Record<string, object>>) {
  const service = await start({ accountOf: (token) => String(claimsOf(token)?.["sub"]) });
  const stack = await startStack({ program: exampleFolder("fleet") });
  const packed = new PackedPlugin();
  try {
    const from = ["--file", packed.archive("linux-amd64")];
    await succeeds(stack.run(["plugin", "install", "resource", "data-connectivity", version, ...from]));
  } finally {
    packed.dispose();
  }
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(stack.folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const config = { "data-connectivity:baseUrl": service.baseUrl, "data-connectivity:jobOperations": "all" };
  const all = { sourceConnection: declaration.params.sourceConnection, config };
  const entries = Object.entries(customers).map(([name, own]) => [name, { subject: `${name}-id`, ...own }]);
  const file = { issuer: "parent", key: "key.pem", all, customers: Object.fromEntries(entries) as object };
  writeFileSync(join(stack.folder, "customers.json"), JSON.stringify(file));
  return { service, stack };
}
