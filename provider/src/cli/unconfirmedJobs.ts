import { waysToResolve } from "../lifecycle/documented/messages.js";
import { stillUnconfirmed } from "../lifecycle/messages.js";
import { typescript } from "../hosts/dialects.js";
import { holdsSecret } from "./secrets.js";
import type { KnownJob } from "./stackExport.js";

/** What to do about a job that is unconfirmed or whose state is damaged; undefined for any other. */
export function adviceFor({ kind, declared, id, origin }: KnownJob): readonly string[] | undefined {
  if (origin === undefined) {
    return ['Its state lacks the property "origin", which this package keeps in it: restore the state from a backup.'];
  }
  if (origin.outcome !== "unconfirmed") return undefined;
  const job = { kind, dialect: typescript, declared, isPlain: !holdsSecret(declared) };
  return [stillUnconfirmed({ id, origin }), ...waysToResolve(job, origin)];
}
