import { settingsTable } from "../config/index.js";
import { staysUnconfirmed } from "../lifecycle/messages.js";
import type { DeclaredJob, KnownJob, PendingOperation, StackExport } from "./stackExport.js";
import { memberOf, Secret } from "./secrets.js";

/** A declared value for display; what is secret is not shown, and of `params` nothing but the name of what is copied or asked. */
export function shown(value: unknown): string | undefined {
  if (value instanceof Secret) return "(secret)";
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/** The table of a caching job, or the name of a scheduled query. */
export const subjectOf = ({ kind, declared }: DeclaredJob): string | undefined =>
  shown(memberOf(declared["params"], kind.jobType === "Caching" ? "sourceTable" : "name"));

export function scheduleOf({ declared }: DeclaredJob): string {
  return `every ${shown(declared["intervalValue"]) ?? "?"} ${shown(declared["intervalUnit"]) ?? "?"}`;
}

/** What to do about a job that is in doubt or whose record is damaged; undefined for one that is well. */
export function adviceFor(job: KnownJob): readonly string[] | undefined {
  const { kind, declared, id, origin } = job;
  if (origin === undefined) {
    return ['Its state lacks the property "origin", which this package keeps in it: restore the state from a backup.'];
  }
  return origin.outcome === "unconfirmed"
    ? staysUnconfirmed(kind, id, { declared, isPlain: false, job: {}, origin }).split("\n")
    : undefined;
}

/** What to look for after a killed run, and what to type. */
export function adviceForPending(pending: PendingOperation, { jobs, savedAt }: StackExport): readonly string[] {
  const { operation, urn } = pending;
  const doubtful = jobs.find((job) => job.urn === urn)?.origin?.outcome === "unconfirmed";
  const again = operation === "updating" && doubtful;
  const unlock = "Let nothing else use this stack. If the killed run still locks it: pulumi cancel";
  const forget = "pulumi refresh --clear-pending-creates";
  if (operation !== "creating" && !again) {
    return [`The run was killed while ${operation} it, which sends nothing.`, ...steps([unlock, forget, "pulumi up"])];
  }
  return [
    again
      ? "The run was killed while it was sent again: each of the two requests may have made a job."
      : "The run was killed while creating it: the job may exist, and this stack does not know it.",
    ...steps([
      unlock,
      `Wait until nothing is under way any more (a minute, or timeoutSeconds), then look at the service for ${searchFor(pending, savedAt)}.`,
      'It is there: declare its id, existingJobId: "<id>". It is not there: change nothing.',
      forget,
      again ? `pulumi up, or, if it is not there: ${variable}="$(date -u +%Y-%m-%dT%H:%M:%SZ)" pulumi up` : "pulumi up",
    ]),
  ];
}

const { variable } = settingsTable.resendUnconfirmedBefore;

const steps = (texts: readonly string[]): string[] => texts.map((text, index) => `  ${index + 1}. ${text}`);

function searchFor(pending: PendingOperation, savedAt: string | undefined): string {
  const { kind, declared } = pending;
  const [account, subject] = [shown(declared["account"]), subjectOf(pending)];
  return [
    `a job of type ${kind.jobType}`,
    scheduleOf(pending),
    ...(subject === undefined ? [] : [`${kind.jobType === "Caching" ? "table" : "name"} ${subject}`]),
    ...(account === undefined ? [] : [`account ${account}`]),
    ...(savedAt === undefined ? [] : [`created at about ${savedAt}`]),
  ].join(", ");
}
