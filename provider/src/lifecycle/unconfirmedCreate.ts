import type { AccountClient } from "../client/accountClient.js";
import { declaredSource } from "../client/jobMatch.js";
import type { Unclear } from "../client/outcomes.js";
import { preflight } from "../client/requests.js";
import { warning, type Finding } from "../finding.js";
import { normalizedText } from "../jobs/index.js";
import { aliasesFor } from "./aliases.js";
import { differencesFrom } from "./compare.js";
import type { Inventory } from "./inventory/inventory.js";
import { firstSignAt, inFlightUntil, openOf, openOfRecord, settledForMs, type OpenCreate } from "./openCreate.js";
import { isOfSource, type OwnState, type UnconfirmedCreate } from "./ownState.js";
import { newStep, stepOf, type Plan, type SharedKnowledge, type Step } from "./plan.js";
import {
  newOrigin,
  newStandIn,
  placeOf,
  type Origin,
  type Place,
  type Resource,
  type SavedResource,
} from "./resource.js";
import type { Recorded } from "./result.js";
import { mayBeNamed } from "./texts/allMode.js";
import { makesSecondJob } from "./texts/createMode.js";
import { isResent } from "./texts/resends.js";
import { becameUnconfirmed } from "./texts/shared.js";
import {
  createIsUnconfirmed,
  alsoUnconfirmed,
  unresolved,
  waysAfterSearch,
  waysToResolve,
} from "./texts/unconfirmed.js";
import { asSaved, moveOf, unconfirmedFor, unconfirmedOf, unrecordedFor } from "./unconfirmed.js";

// What a run does about a create whose outcome nobody has seen: its own, or that of a run that was killed.

/** The step of a new resource. Has the killed runs' unconfirmed creates whose jobs this run is to look for first. */
export async function newStepIn(
  inventory: Inventory,
  resource: Resource,
  { resends, ownState, calls }: SharedKnowledge,
): Promise<Step> {
  const { client } = inventory;
  const step = newStep(resource.declared, resends.jobNamedFor(resource));
  if (step.kind !== "new" || !client.account.mode.canRead) return step;
  const state = await ownState();
  // The engine keeps the pending operation even if a run has recorded the job since. A note is of a later create.
  const mayBeRecorded = ({ trace, urn }: UnconfirmedCreate) => trace === "pending" && urn === resource.urn;
  const all = unrecordedFor(state, resource, client).filter(
    (create) =>
      !(mayBeRecorded(create) && calls.isGone(resource)) &&
      // Of another name's create whose source or account is not known, only the jobs at the service tell.
      (create.urn === resource.urn || (create.source !== undefined && create.isOfProvider)),
  );
  const creates = await resends.undecided(client, state, resource, all);
  for (const create of creates) {
    const placeChanges = moveOf(create, resource, client);
    if (placeChanges.length > 0)
      return stepOf({ kind: "stayUnconfirmed", placeChanges }, asSaved(client, resource, create));
  }
  // Of several new resources, the first one looks for the job; the others then find the source taken.
  const killed = creates.filter((create) => {
    const source = create.source ?? declaredSource(resource);
    return source === undefined || inventory.takeSource(source, resource) === undefined;
  });
  return { ...step, killed };
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
  if (unconfirmed !== undefined && !(await resends.areAllowed(client, state, unconfirmed, resource))) return [];
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

/**
 * A create that only the engine's pending operation shows, and that may still be in flight: nothing that stays shows
 * since when, so `up` records it, and later runs count from that.
 */
export function pendingOf(
  state: OwnState | undefined,
  resource: Resource,
  client: AccountClient,
): UnconfirmedCreate | undefined {
  const create = pendingHere(state, resource, client);
  return create !== undefined && settledForMs(create, client) < 0 ? create : undefined;
}

/** A create that only the engine's pending operation shows, and that was sent to the place in which its job would be found. */
function pendingHere(state: OwnState | undefined, resource: Resource, client: AccountClient) {
  const create = unconfirmedOf(state, resource, client);
  return create?.trace === "pending" && moveOf(create, resource, client).length === 0 ? create : undefined;
}

/** The pending create that the plan's resource waits for. In mode `all`, what the list shows of it too. */
async function waitedFor(plan: Plan) {
  const { step, client, resource, resends } = plan;
  if (step.kind !== "new") return undefined;
  const state = await plan.ownState();
  const { canRead } = client.account.mode;
  // What `check` has left to `create`, which the engine may call much later, is recorded even if it is over by then.
  const create = canRead ? pendingOf(state, resource, client) : pendingHere(state, resource, client);
  const isAllowed = !canRead && (await resends.areAllowed(client, state, create, resource));
  if (create === undefined || isAllowed || (canRead && !step.killed.includes(create))) return undefined;
  const searched = canRead ? await plan.search() : undefined;
  return searched?.found.kind === "failed" ? undefined : { create, state, searched };
}

/** In a preview: the refusal of a new resource whose create `up` records as unconfirmed. */
export async function whyPending(plan: Plan): Promise<string | undefined> {
  const { client, resource, resends } = plan;
  const waited = await waitedFor(plan);
  if (waited === undefined) return undefined;
  const { create, state, searched } = waited;
  const known = resends.known(state, client);
  return searched === undefined
    ? createIsUnconfirmed(resource, create, placeOf(client), known)
    : unresolved(searched.create, searched.found, "up", { ...known, until: undefined, now: resource });
}

/** In `up`: records the create as unconfirmed, with the time of this sighting. */
export async function recordPending(plan: Plan): Promise<Recorded | undefined> {
  const { inventory, client, resource, resends } = plan;
  const waited = await waitedFor(plan);
  if (waited === undefined) return undefined;
  const { create, state, searched } = waited;
  // The record is in the service's time, which only a reply shows.
  if (searched === undefined && client.shared.clock.aheadMs === undefined) await preflight(client);
  const at = firstSignAt(client);
  const origin = { ...newOrigin(client, "unconfirmed", at), isAtOrBefore: true } as const;
  const saved: SavedResource = { ...asSaved(client, resource, create), origin };
  // What was sent, which today's declaration may differ from.
  inventory.noteUnconfirmed({ text: normalizedText(saved), resource });
  return record(plan, saved, "a run was killed in its create.", (until) =>
    searched === undefined
      ? [
          ...alsoUnconfirmed(resends.known(state, client), create),
          ...waysToResolve(client.account.mode, saved, origin, until),
        ]
      : waysAfterSearch(saved, searched.found, until, plan.seen(searched.create)),
  );
}

/** Records a create or resend whose outcome is unknown, once it was sent. */
export function recordUnconfirmed(plan: Plan, { at, what, named }: Unclear): Recorded {
  const { client, resource, step, inventory } = plan;
  // The record is later than what this machine has noted of the resource.
  if (resource.urn !== undefined) inventory.createNotes?.settle(resource.urn);
  const resent = step.kind === "resend" ? step.saved.origin : undefined;
  const firstAt = resent && (resent.firstAt ?? resent.at);
  const namedId = named?.job.id ?? resent?.namedId;
  const origin: Origin = {
    ...newOrigin(client, "unconfirmed", at),
    ...(firstAt !== undefined && { firstAt }),
    // Until another reply names a job, the one that an earlier create named may be its own.
    ...(namedId !== undefined && { namedId }),
    // The first create is still of an unknown time.
    ...(resent?.isAtOrBefore === true && { isAtOrBefore: true }),
  };
  const differences = named === undefined ? [] : differencesFrom(resource, named.job, resource.isPlain);
  return record(plan, { declared: resource.declared, origin }, what, (until) => [
    ...(named === undefined ? [] : mayBeNamed(resource, named.job.id, differences)),
    ...waysToResolve(client.account.mode, resource, origin, until),
  ]);
}

/** `ways`: those to resolve the create, which may be in flight until then. */
function record(
  plan: Plan,
  { declared, origin }: Pick<SavedResource, "declared" | "origin">,
  what: string,
  ways: (until: string | undefined) => readonly string[],
): Recorded {
  const { client, resource } = plan;
  const { request, resendOf } = plan.wanted();
  // The job's id is unknown, so the engine gets a stand-in.
  const id = resendOf ?? newStandIn();
  const message = becameUnconfirmed(resource.label, id, what, ways(inFlightUntil(openOfRecord(origin), client)));
  return plan.shared.calls.record(request, {
    ...{ kind: "recorded", id, state: { declared, job: {}, origin }, message, what },
  });
}

interface Repeated {
  readonly create: OpenCreate;
  /**
   * Whose create it is, unless the step repeats the resource's own. `isPending`: only the engine's pending operation shows
   * it.
   */
  readonly other: { readonly label: string; readonly isPending: boolean } | undefined;
}

/**
 * The unconfirmed create whose job a step would make again, or meet: of several, the one that may be in flight for the
 * longest. A resource may have been renamed since.
 */
export async function repeatedBy(
  { ownState, resource, client, shared }: Plan,
  step: Extract<Step, { readonly kind: "new" | "resend" | "change" }>,
): Promise<(Repeated & { readonly savedAt: number }) | undefined> {
  if (step.kind === "change" && declaredSource(resource) === declaredSource(step.saved)) return undefined;
  const state = await ownState();
  const all = unconfirmedFor(state, resource, client).flatMap((create): Repeated[] => {
    const isOwn = create.urn === resource.urn;
    // The engine keeps a pending operation even if the job was recorded since, and it has no time that stays: it would keep
    // a recorded create from being resent for ever, and a job that has moved from moving again.
    const isMove = step.kind === "change" && create.source !== declaredSource(resource);
    const isOutdated = step.kind === "resend" || (isOwn && (isMove || shared.calls.isGone(resource)));
    if (create.isPending && create.trace === "pending" && isOutdated) return [];
    const other = { label: create.label, isPending: create.trace === "pending" };
    return [{ create, other: isOwn && step.kind !== "change" ? undefined : other }];
  });
  if (step.kind === "resend") all.push({ create: openOf(step.saved), other: undefined });
  const [longest] = all.sort((one, other) => settledForMs(one.create, client) - settledForMs(other.create, client));
  return longest && { ...longest, savedAt: state?.savedAt ?? 0 };
}
