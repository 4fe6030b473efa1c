import { declaredSource } from "../client/jobMatch.js";
import type { Service } from "../client/service.js";
import { warning, type Finding } from "../finding.js";
import { aliasesFor } from "./aliases.js";
import { isOfSource, type OwnState, type ReadOwnState } from "./ownState.js";
import { placeOf, type Place, type Resource } from "./resource.js";
import { makesSecondJob, needsTaint } from "./texts/createMode.js";
import { isOpen, isResent } from "./texts/unconfirmedCreates.js";
import { unconfirmedOf, type Resends } from "./unconfirmed.js";

interface Asking {
  readonly ownState: ReadOwnState;
  readonly resends: Resends;
  reportOnce(finding: Finding): void;
}

/**
 * Why a new resource must not be created, by what the stack's state says: its create is unconfirmed, or a run that is
 * killed in it would leave no trace. Warns if another resource of the stack has a job of its source: the engine's error
 * about a rename does not name it. Undefined in a mode that can read jobs: its list of jobs decides.
 */
export async function whyNotCreated(
  run: Asking,
  resource: Resource,
  service: Service | undefined,
): Promise<string | undefined> {
  // Every new resource waits, so that the state is read before the engine begins a create: otherwise this run's own
  // creates would look like a killed run's.
  const state = await run.ownState();
  if (service === undefined || service.account.mode.canRead) return undefined;
  if (resource.declared["existingJobId"] !== undefined) return undefined;
  const place = placeOf(service);
  const open = unconfirmedOf(state, resource);
  if (open !== undefined) {
    if (!(await run.resends.areAllowed(service, state, open)))
      return isOpen(resource, open, place, run.resends.known(state));
    run.reportOnce(warning(resource, isResent(resource.label, open)));
    return undefined;
  }
  const { urn } = resource;
  const replaced = state?.jobs.find((job) => job.urn === urn && job.isReplaced !== true && job.isTainted !== true);
  if (urn !== undefined && replaced?.jobId !== undefined) return needsTaint(urn, replaced.jobId);
  const secondJob = secondJobOf(state, resource, place);
  if (secondJob !== undefined) run.reportOnce(warning(resource, secondJob));
  return undefined;
}

/** A warning for a new resource if another one of the stack has a job for its source: perhaps it was renamed. */
function secondJobOf(state: OwnState | undefined, resource: Resource, place: Place): string | undefined {
  const source = declaredSource(resource);
  if (source === undefined || resource.urn === undefined) return undefined;
  const holder = state?.jobs.find((job) => job.urn !== resource.urn && isOfSource(job, resource.kind, source, place));
  return holder?.jobId === undefined
    ? undefined
    : makesSecondJob(resource.label, holder.label, holder.jobId, aliasesFor(holder.urn, resource.urn));
}
