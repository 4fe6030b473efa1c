import { askedAgain, currentSettings, serviceOf, type Context } from "./context.js";
import { adopt, recordUnconfirmed, sendCreate } from "./create.js";
import * as messages from "./messages.js";
import type { Update } from "./mode.js";
import { modes } from "./modeOf.js";
import { newOrigin, seenBy, type JobState, type Resource, type SavedResource } from "./resource.js";
import { Refusal, refusalText, type Done, type Recorded } from "./result.js";
import { transition } from "./transitions.js";

/** Carries out what `transition` decides. @throws Refusal if nothing was changed or recorded. */
export async function update(context: Context, saved: SavedResource, resource: Resource): Promise<Done | Recorded> {
  const { id } = saved;
  const resent = context.recorded.get(id);
  if (resent !== undefined) return askedAgain(context, resent);
  try {
    const result = await stateAfter(context, saved, resource);
    return "kind" in result ? result : { kind: "done", id, state: result };
  } catch (error) {
    // With an `onError` hook, the engine repeats the call and shows no refusal, so a repeat says the first refusal.
    const before = context.refused.get(id);
    const text = refusalText(error, resource);
    if (text !== undefined && before !== undefined) context.sayOnce(before);
    else if (text !== undefined) context.refused.set(id, text);
    throw error;
  }
}

async function stateAfter(context: Context, saved: SavedResource, resource: Resource): Promise<JobState | Recorded> {
  const { declared } = resource;
  const settings = currentSettings(context, serviceOf(context, declared));
  const mode = modes[settings.mode.name];
  const next = transition(saved, resource, settings);
  if (next.kind === "refuse") throw new Refusal(resource, mode.says.cannotChange(saved, next.changes));
  if (next.kind === "decideDuringUp") throw new Refusal(resource, messages.unknownInCreate);
  if (next.kind === "stayUnconfirmed")
    throw new Refusal(resource, mode.says.staysUnconfirmed(saved, next.placeChanges));
  if (next.kind === "unchanged") return { declared, job: saved.job, origin: saved.origin };

  const service = context.services.declaredBy(declared);
  const inventory = context.inventories.of(service);
  const asked = { context, inventory, saved, resource };
  // Tells a later delete of this record that the record is still declared, not replaced.
  inventory.hold(saved, resource, "declared");
  if (next.kind === "record") {
    const { job, origin, isConfirmed } = next;
    // If this run has sent no request yet, it has no token, and `seenBy` needs the token's subject.
    if (isConfirmed && service.account.mode.canRead) await service.tokens.learnSubject();
    return { declared, job, origin: isConfirmed ? seenBy(service, origin) : origin };
  }
  if (next.kind === "adopt") return adopt(inventory, resource, next.id);
  return (await mode.update(asked, next)) ?? resend(asked);
}

async function resend({ context, inventory, saved, resource }: Update): Promise<JobState | Recorded> {
  const { service } = inventory;
  const { says } = modes[service.account.mode.name];
  const wanted = inventory.wanted(resource, saved.id);
  const sent = await sendCreate(context, inventory, wanted);
  if (sent.outcome === "unconfirmed") return recordUnconfirmed(context, service, wanted, sent);
  if (sent.outcome === "notCreated") {
    // The message of a declined resend already contains the ways to resolve the create.
    const ways = sent.cause === "declined" ? [] : says.waysToResolve(saved, saved.origin);
    // The record does not change, not even the time of the first create.
    throw new Refusal(resource, messages.resendRefused(saved, sent, ways));
  }
  context.say(messages.wasResent(resource.label, saved.origin, sent.job));
  return { declared: resource.declared, job: sent.job, origin: newOrigin(service, "created", sent.at) };
}
