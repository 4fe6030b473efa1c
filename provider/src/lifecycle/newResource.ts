import { declaredSource } from "../client/jobMatch.js";
import { warning, type Finding } from "../finding.js";
import { aliasesFor } from "./aliases.js";
import { isOfSource, type OwnState } from "./ownState.js";
import type { Inventory } from "./inventory/inventory.js";
import { newStep, stepOf, type Plan, type SharedKnowledge, type Step } from "./plan.js";
import { placeOf, type Place, type Resource } from "./resource.js";
import { makesSecondJob } from "./texts/createMode.js";
import { isResent } from "./texts/unconfirmedCreates.js";
import { asSaved, moveOf, unconfirmedOf } from "./unconfirmed.js";

/** The step of a new resource. Has a killed run's unconfirmed create if this run is to look for its job first. */
export async function newStepIn(
  inventory: Inventory,
  resource: Resource,
  { resends, ownState }: SharedKnowledge,
): Promise<Step> {
  const { client } = inventory;
  const step = newStep(resource.declared, resends.jobNamedFor(resource));
  if (step.kind !== "new" || !client.account.mode.canRead) return step;
  const state = await ownState();
  const killed = unconfirmedOf(state, resource, client);
  // The engine keeps the pending operation even if a run has recorded the job since. A note is of a later create.
  const mayBeRecorded = killed?.trace === "pending" && killed.urn === resource.urn;
  if (killed === undefined || (mayBeRecorded && inventory.isGone(resource))) return step;
  const placeChanges = moveOf(killed, resource, client);
  if (placeChanges.length > 0)
    return stepOf({ kind: "stayUnconfirmed", placeChanges }, asSaved(client, resource, killed));
  if (await resends.areAllowed(client, state, killed)) return step;
  // Of several new resources, the first one looks for the job; the others then find the source taken.
  const source = killed.source ?? declaredSource(resource);
  const isOthers = source !== undefined && inventory.takeSource(source, resource) !== undefined;
  return isOthers ? step : { ...step, killed };
}

/**
 * Warnings about a create that passes its guards, in a mode that cannot read jobs: the create is resent, or another
 * resource of the stack has a job for the same source. The engine's error about a rename does not mention that job.
 */
export async function findingsOnCreate(plan: Plan): Promise<readonly Finding[]> {
  const { step, client, resource, ownState, resends } = plan;
  if (step.kind !== "new" || client.account.mode.canRead) return [];
  const state = await ownState();
  const unconfirmed = unconfirmedOf(state, resource, client);
  // If a resend is not allowed yet, `up` records the create instead.
  if (unconfirmed !== undefined && !(await resends.areAllowed(client, state, unconfirmed))) return [];
  const text =
    unconfirmed === undefined ? secondJobOf(state, resource, placeOf(client)) : isResent(resource.label, unconfirmed);
  return text === undefined ? [] : [warning(resource, text)];
}

/** A warning if another resource of the stack has a job for a new resource's source: perhaps it was renamed. */
function secondJobOf(state: OwnState | undefined, resource: Resource, place: Place): string | undefined {
  const source = declaredSource(resource);
  if (source === undefined || resource.urn === undefined) return undefined;
  const holder = state?.jobs.find((job) => job.urn !== resource.urn && isOfSource(job, resource.kind, source, place));
  return holder?.jobId === undefined
    ? undefined
    : makesSecondJob(resource.label, holder.label, holder.jobId, aliasesFor(holder.urn, resource.urn));
}
