import type { Declaration, IsPlain } from "../jobs/index.js";
import { membersOf } from "../json.js";
import { waysToResolve as waysToLookFor } from "../lifecycle/texts/unconfirmed.js";
import { waysToResolve } from "../lifecycle/texts/createMode.js";
import { adoptCommand, resendCommand, stillUnconfirmed } from "../lifecycle/texts/shared.js";
import { isHidden, type KnownJob, type PendingOperation, type StackExport } from "./stackExport.js";

/** How many jobs that the stack does not know a killed operation may have left at the service. */
export function jobsToLookFor(pending: PendingOperation): 0 | 1 | 2 {
  if (isResend(pending)) return 2;
  return pending.operation === "creating" && jobSince(pending) === undefined ? 1 : 0;
}

/** The job that a later run gave to the resource of this pending create. */
export const jobSince = ({ known }: PendingOperation): KnownJob | undefined =>
  known.find(({ jobId }) => jobId !== undefined);

/** Whether an unconfirmed create was sent again, which the engine calls an update. Any other update creates nothing. */
export const isResend = ({ operation, known: [job] }: PendingOperation): boolean =>
  operation === "updating" && job?.outcome === "unconfirmed";

/**
 * The steps to take after a killed run, in order; empty if none was killed. The steps cover all open operations of the
 * run: the `pulumi refresh` among them clears every operation at once, so the user must check each operation before it.
 */
export function stepsAfterKilledRun(stack: StackExport): string[] {
  if (stack.pending.length === 0) return [];
  const steps = [
    "Let nothing else use this stack. Answer no question of pulumi refresh: its default removes all marks. If the killed run still locks the stack: pulumi cancel --yes",
    ...(stack.pending.some((pending) => jobsToLookFor(pending) > 0) ? stepsToFindJobs(stack) : []),
    ...stack.otherPendingCreates.map(
      (resource) => `Look whether ${resource} was made: it is another package's resource.`,
    ),
    // --yes is not enough: without --clear-pending-creates, the CLI in a terminal still asks about pending creates.
    "Only after all of the above, because it removes all marks at once: pulumi refresh --clear-pending-creates --yes --non-interactive",
    stack.pending.some(isResend)
      ? `pulumi up. If a job that was resent is not there, this instead: ${resendCommand()}`
      : "pulumi up",
  ];
  return steps.map((step, index) => `${index + 1}. ${step}`);
}

const stepsToFindJobs = ({ savedAt }: StackExport): string[] => [
  "Wait a minute, or timeoutSeconds if that is longer: a request of the killed run may still be under way.",
  `With jobOperations all, adopt the jobs that are there, in place of the next two steps: ${adoptCommand}`,
  `Look at the service for each job in the table.${savedAt === undefined ? "" : ` The killed run created it before ${savedAt}, when the stack was last saved, or shortly afterwards.`}`,
  'For a job that is there, add its id to the declaration: existingJobId: "<id>". For one that is not there, change nothing.',
];

const isPlainIn =
  (declared: Declaration): IsPlain =>
  (member, inner) =>
    !isHidden((inner === undefined ? declared[member] : membersOf(declared[member])[inner]) ?? null);

/** What to do about a job that is unconfirmed or whose state is damaged; empty for any other job. */
export function adviceFor({ kind, declared, id, origin, canRead }: KnownJob): readonly string[] {
  if (origin === undefined)
    return ['Its state lacks the property "origin", which this package keeps in it: restore the state from a backup.'];
  if (origin.outcome !== "unconfirmed") return [];
  const job = { kind, declared, isPlain: isPlainIn(declared) };
  return [stillUnconfirmed({ id, origin }), ...(canRead ? waysToLookFor : waysToResolve)(job, origin)];
}
