import { preflight } from "../client/requests.js";
import { normalizedText } from "../jobs/index.js";
import { firstSignAt, inFlightUntil, openOf, openOfRecord, settledForMs, type OpenCreate } from "./openCreate.js";
import type { Plan, Step } from "./plan.js";
import { newOrigin, newStandIn, placeOf, type SavedResource } from "./resource.js";
import type { Recorded } from "./result.js";
import { waysToResolve } from "./texts/createMode.js";
import { becameUnconfirmed } from "./texts/shared.js";
import { unresolved, waysAfterSearch } from "./texts/unconfirmed.js";
import { createIsUnconfirmed, othersOf } from "./texts/unconfirmedCreates.js";
import { asSaved, moveOf, notedFor, unconfirmedElsewhere, unconfirmedOf } from "./unconfirmed.js";
import type { OwnState, UnconfirmedCreate } from "./ownState.js";
import type { Resource } from "./resource.js";
import type { AccountClient } from "../client/accountClient.js";

/**
 * A create that only the engine's pending operation shows, and that may still be in flight: nothing that stays shows
 * since when, so `up` records it, and later runs count from that.
 */
export function pendingOf(
  state: OwnState | undefined,
  resource: Resource,
  client: AccountClient,
): UnconfirmedCreate | undefined {
  const create = unconfirmedOf(state, resource, client);
  const isPending = create?.trace === "pending" && moveOf(create, resource, client).length === 0;
  return isPending && settledForMs(create, client) < 0 ? create : undefined;
}

/** The pending create that the plan's resource waits for. In mode `all`, what the list shows of it too. */
async function waitedFor(plan: Plan) {
  const { step, client, resource } = plan;
  if (step.kind !== "new") return undefined;
  const state = await plan.ownState();
  const { canRead } = client.account.mode;
  const create = pendingOf(state, resource, client);
  if (create === undefined || (canRead && step.killed !== create)) return undefined;
  const found = canRead ? await plan.search() : undefined;
  return found?.kind === "failed" ? undefined : { create, state, found };
}

/** In a preview: the refusal of a new resource whose create `up` records as unconfirmed. */
export async function whyPending(plan: Plan): Promise<string | undefined> {
  const { client, resource, resends } = plan;
  const waited = await waitedFor(plan);
  if (waited === undefined) return undefined;
  const { create, state, found } = waited;
  const known = resends.known(state, client);
  return found === undefined
    ? createIsUnconfirmed(resource, create, placeOf(client), known)
    : unresolved(asSaved(client, resource, create), found, "up", { ...known, until: undefined });
}

/** In `up`: records the create as unconfirmed, with the time of this sighting. */
export async function recordPending(plan: Plan): Promise<Recorded | undefined> {
  const { inventory, client, resource, resends } = plan;
  const waited = await waitedFor(plan);
  if (waited === undefined) return undefined;
  const { create, state, found } = waited;
  // The record is in the service's time, which only a reply shows.
  if (found === undefined && client.shared.clock.aheadMs === undefined) await preflight(client);
  const at = firstSignAt(client);
  const origin = { ...newOrigin(client, "unconfirmed", at), isAtOrBefore: true } as const;
  const id = newStandIn();
  const { declared } = asSaved(client, resource, create);
  const saved: SavedResource = { ...resource, declared, id, jobId: id, job: {}, origin };
  const until = inFlightUntil(openOfRecord(origin), client);
  const ways =
    found === undefined
      ? [...othersOf(resends.known(state, client), create), ...waysToResolve(saved, origin, until)]
      : waysAfterSearch(saved, found, until);
  const what = "a run was killed in its create.";
  const message = becameUnconfirmed(resource.label, id, what, ways);
  const result: Recorded = { kind: "recorded", id, state: { declared, job: {}, origin }, message, what };
  // What was sent, which today's declaration may differ from.
  inventory.noteUnconfirmed({ text: normalizedText(saved), resource });
  return inventory.noteRecorded(plan.wanted().request, result);
}

/** The unconfirmed create that a step repeats: of several, the one that may be in flight for the longest. */
export async function repeatedBy(
  { ownState, resource, client }: Plan,
  step: Extract<Step, { readonly kind: "new" | "resend" }>,
): Promise<{ readonly create: OpenCreate; readonly savedAt: number } | undefined> {
  const state = await ownState();
  const unrecorded = () => unconfirmedOf(state, resource, client) ?? unconfirmedElsewhere(state, resource, client);
  const ofNew = (killed: UnconfirmedCreate | undefined) => (client.account.mode.canRead ? killed : unrecorded());
  const first = step.kind === "resend" ? openOf(step.saved) : ofNew(step.killed);
  // A resource may have been renamed between two killed runs.
  const all: readonly OpenCreate[] = [...(first === undefined ? [] : [first]), ...notedFor(state, resource, client)];
  const [create] = [...all].sort((one, other) => settledForMs(one, client) - settledForMs(other, client));
  return create && { create, savedAt: state?.savedAt ?? 0 };
}
