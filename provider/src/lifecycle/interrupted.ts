import { declaredSource } from "../client/jobMatch.js";
import { currentSettings, serviceOf, type Context } from "./context.js";
import { otherResource, resendVariable } from "./messages.js";
import { modes } from "./modeOf.js";
import type { StateResource } from "./ownState.js";
import type { Resource } from "./resource.js";

/**
 * Why a new resource must not be created: a killed run left open a create of this resource or of the same source.
 * Undefined if none is known, and in a mode that can read jobs: its list of jobs decides.
 */
export async function whyInterrupted(context: Context, resource: Resource): Promise<string | undefined> {
  const { declared, kind, label, urn } = resource;
  const { mode, place, resendBefore } = currentSettings(context, serviceOf(context, declared));
  if (place === undefined || mode.canRead || declared["existingJobId"] !== undefined) return undefined;
  const state = await context.ownState();
  const source = declaredSource(resource);
  const open =
    state?.interrupted.find((other) => other.urn === urn) ??
    state?.interrupted.find((other) => source !== undefined && other.kind === kind && other.source === source);
  if (state === undefined || open === undefined) return undefined;
  const { savedAt = Date.now() } = state;
  const at = new Date(savedAt).toISOString();
  if (resendBefore !== undefined && resendBefore > savedAt) {
    context.sayOnce(createdAgain(label, at));
    return undefined;
  }
  const ways = modes[mode.name].says.waysToResolve(resource, { ...place, outcome: "unconfirmed", at });
  return `${label}: ${leftOpen(resource, open, at, ways)}`;
}

export const clearOpenCreates = "pulumi refresh --clear-pending-creates --yes --non-interactive";

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
