// Reads `pulumi stack export` and fails when a run was killed in the middle of an operation. The next `pulumi up` would
// only warn and create the job again, although the killed run may have made it.
import { readFileSync } from "node:fs";

const { deployment } = JSON.parse(readFileSync(0, "utf8"));
const pending = deployment.pending_operations ?? [];

for (const { type, resource } of pending) console.error(`${type}: ${resource.urn}`);
if (pending.length > 0) {
  console.error('A killed run left these operations open. The README says what to do: "When a run was killed".');
  process.exitCode = 1;
}
