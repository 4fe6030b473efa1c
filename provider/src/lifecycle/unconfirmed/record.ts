import type { Unclear } from "../../client/outcomes.js";
import { preflight } from "../../client/requests.js";
import { normalizedText } from "../../jobs/index.js";
import { differencesShown } from "../inventory/secrets.js";
import type { Plan } from "../plan.js";
import { newOrigin, newStandIn, type Origin, type SavedResource } from "../resource.js";
import type { Recorded } from "../result.js";
import { mayBeNamed } from "../texts/sources.js";
import { sentences } from "../../sentences.js";
import type { UnconfirmedCreate } from "../ownState.js";
import { becameUnconfirmed } from "../texts/shared.js";
import { unresolved, waysAfterSearch, waysToResolve } from "../texts/searched.js";
import { alsoUnconfirmed, createIsUnconfirmed, whoseCreate } from "../texts/unconfirmed.js";
import { besideIn, placeOf, type Waited } from "./creates.js";
import { firstSignAt, flightIn, inFlightUntil, openOfRecord } from "./openCreate.js";
import { asSaved } from "./trace.js";

// How a create becomes unconfirmed: the state records it, or a preview says that it will.

/** In a preview: the refusal of a new resource whose create `up` records as unconfirmed. */
export function whyPending({ client, resource, resends, seen }: Plan, { create, state, searched }: Waited): string {
  return searched === undefined
    ? createIsUnconfirmed(resource, create, placeOf(create, client), resends.known(state, client)).what
    : unresolved(searched.create, searched.found, "up", { ...seen(searched.create), until: undefined });
}

/** In `up`: records the create as unconfirmed, with the time of this sighting. */
export async function recordPending(plan: Plan, { create, state, searched }: Waited): Promise<Recorded> {
  const { inventory, client, resource, resends } = plan;
  // The record is in the service's time, which only a reply shows.
  if (searched === undefined && client.shared.clock.aheadMs === undefined) await preflight(client);
  const at = firstSignAt(client);
  const origin: Origin = {
    ...newOrigin(client, "unconfirmed", at),
    ...flightIn(client),
    isAtOrBefore: true,
    beside: besideIn(state, resource, client),
  };
  const saved: SavedResource = { ...asSaved(client, resource, create), origin };
  // What was sent, which today's declaration may differ from.
  inventory.noteUnconfirmed(saved, normalizedText(saved));
  const what = sentences(`a run was killed in ${whoseCreate(create, resource)}.`, resends.notUsedFor(resource));
  // The record becomes that of this create: its own one made no job.
  const { resendOf } = plan.wanted();
  const unconfirmed = state?.unconfirmed.filter(({ id }) => id === undefined || id !== resendOf) ?? [];
  const others = resends.known(state && { ...state, unconfirmed }, client);
  // The record does not get today's values of what was sent as a secret: they would pass for what was sent.
  const recorded = record(plan, { declared: create.sent.completedFrom({}), origin }, what, (until) =>
    searched === undefined
      ? [...alsoUnconfirmed(others, create), ...waysToResolve(client.account.mode, saved, origin, until)]
      : waysAfterSearch(saved, searched.found, until, plan.seen(searched.create)),
  );
  const isPending = (one: UnconfirmedCreate) => one !== create && one.trace === "pending";
  if (state?.unconfirmed.some(isPending) === true)
    await Promise.race([client.machineClock.sleep(othersBeginWithinMs), client.cancellation.requested]);
  return recorded;
}

/** After an error, the engine begins no more creates. This error waits for them, so that one run records all of them. */
const othersBeginWithinMs = 2000;

/** Records a create or resend whose outcome is unknown, once it was sent. */
export async function recordUnconfirmed(plan: Plan, { at, what, named }: Unclear): Promise<Recorded> {
  const { client, resource, step, inventory } = plan;
  const resent = step.kind === "resend" ? step.saved.origin : undefined;
  const firstAt = resent && (resent.firstAt ?? resent.at);
  const namedId = named?.job.id ?? resent?.namedId;
  const origin: Origin = {
    ...newOrigin(client, "unconfirmed", at),
    ...(firstAt !== undefined && { firstAt }),
    // Until another reply names a job, the one that an earlier create named may be its own.
    ...(namedId !== undefined && { namedId }),
    ...flightIn(client),
    // The first create is still of an unknown time.
    ...(resent?.isAtOrBefore === true && { isAtOrBefore: true, from: resent.from, beside: resent.beside }),
  };
  // The record is later than what this machine has noted of the resource.
  inventory.memory.settle(resource.urn, origin);
  const differences = named === undefined ? [] : await differencesShown(inventory, resource, named.job);
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
