import { declaredSource } from "../client/jobMatch.js";
import { aliasesFor } from "./aliases.js";
import { isOfSource, type OwnState, type StateResource } from "./ownState.js";
import type { Place, Resource } from "./resource.js";
import { makesSecondJob } from "./texts/createMode.js";
import { otherResource, resendVariable } from "./texts/shared.js";

/** A create of this resource, or of the same source, that a killed run left open; undefined if none is known. */
export function leftOpenIn(state: OwnState | undefined, resource: Resource): StateResource | undefined {
  const { kind, urn } = resource;
  const source = declaredSource(resource);
  return (
    state?.interrupted.find((other) => other.urn === urn) ??
    state?.interrupted.find((other) => source !== undefined && other.kind === kind && other.source === source)
  );
}

/** A warning for a new resource if another one of the stack has a job for its source: perhaps it was renamed. */
export function secondJobOf(state: OwnState | undefined, resource: Resource, place: Place): string | undefined {
  const source = declaredSource(resource);
  if (source === undefined || resource.urn === undefined) return undefined;
  const holder = state?.jobs.find((job) => job.urn !== resource.urn && isOfSource(job, resource.kind, source, place));
  return holder?.jobId === undefined
    ? undefined
    : makesSecondJob(resource.label, holder.label, holder.jobId, aliasesFor(holder.urn, resource.urn));
}

const clearOpenCreates = "pulumi refresh --clear-pending-creates --yes --non-interactive";

/** `at`: when the state was last written. `ways`: how to resolve the create. */
export function leftOpen(
  { label, urn }: Pick<Resource, "label" | "urn">,
  open: StateResource,
  at: string,
  ways: readonly string[],
): string {
  const whose =
    open.urn === urn ? "its create" : `the create of ${otherResource(open.label, label)}, of the same source,`;
  return [
    `a killed run left ${whose} open, so the job may exist. Nothing was sent. The state was last written at ${at}.`,
    ...ways,
    `Once all jobs of that run are resolved, remove its open creates from the state: ${clearOpenCreates}`,
  ].join("\n");
}

export const createdAgain = (label: string, at: string): string =>
  `${label}: a killed run left its create open, before ${at}. It is created now, because ${resendVariable} is set to a later time.`;
