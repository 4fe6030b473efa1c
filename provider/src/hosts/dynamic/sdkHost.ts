import { readFileSync } from "node:fs";
import type { Explanation } from "../../client/operation.js";
import { engineAddress } from "../engineAddress.js";

const hostFile = /[\\/]cmd[\\/]dynamic-provider[\\/][^\\/]+\.js$/;

/** One thrown error's `id`, `properties` and `reasons` go into the answer that makes the engine record a failed create. */
const recordsFailedCreates =
  /\b(\w+)\.id\b[^]*ErrorResourceInitFailed[^]*\b\1\.properties\b[^]*\b\1\.reasons\b[^]*grpc-status-details-bin/;

/**
 * Why the engine might not record an unconfirmed create; undefined where it does. The SDK promises nowhere how it treats a
 * thrown error, so its text is read: nothing else shows it before the first create is lost, and the next run sends it
 * again. A process that no engine started (unit tests) passes: no state there can lose a job.
 */
export function whyUnrecordable(args?: readonly string[], files = Object.keys(require.cache)): Explanation | undefined {
  if (engineAddress(args) === undefined) return undefined;
  const text = files.filter((file) => hostFile.test(file)).map((file) => readFileSync(file, "utf8"));
  if (recordsFailedCreates.test(text.join("\n"))) return undefined;
  return {
    what: "The installed @pulumi/pulumi runs dynamic providers in a way that this version of pulumi-data-connectivity does not know: a create without a clear answer might not be recorded, and the next run would create a second job.",
    fix: "Install a newer pulumi-data-connectivity, or an SDK that this one knows: npm install @pulumi/pulumi@3.248.0",
  };
}

/**
 * Leaves the engine to show a refusal, on the resource. The SDK's host also prints each error that a hook throws, which
 * the engine shows as a message of the stack.
 */
export function printNoRefusals(): void {
  const { error } = console;
  console.error = (...args: unknown[]) => {
    if (!/^data-connectivity: .*: refused, see the error on the resource$/s.test(String(args[0]))) error(...args);
  };
}
