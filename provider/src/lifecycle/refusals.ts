import type { AccountClient } from "../client/accountClient.js";
import { isFailure, notSent, type NotDone, type Reason } from "../client/outcomes.js";
import { inFlightUntil, openOf } from "./unconfirmed/openCreate.js";
import type { Plan } from "./plan.js";
import type { Resource, SavedResource } from "./resource.js";
import { Refusal } from "./result.js";
import * as texts from "./texts/allMode.js";
import * as messages from "./texts/shared.js";
import { waysToResolve } from "./texts/searched.js";

// How a reason not to send something is worded for what was to be sent.

/** The refusal, worded for the plan's step. */
export function refusalOf({ resource, step, client }: Plan, why: Reason): Refusal {
  if (why.isWhole === true) return new Refusal(resource, why);
  if (step.kind === "change") return new Refusal(resource, texts.notDone("changed", step.saved.jobId, why));
  if (step.kind === "adopt") return new Refusal(resource, texts.notDone("adopted", step.id, why));
  const unsent = unsentBy(why);
  return step.kind === "resend"
    ? notResent(client, resource, step.saved, unsent)
    : new Refusal(resource, messages.notCreated(unsent));
}

/**
 * The outcome of a create that a guard stopped. If the guard could not get what it needs to know, the other creates stop
 * too.
 */
export const unsentBy = (why: Reason): NotDone => notSent(isFailure(why) ? "creates" : "request", why);

/** The refusal of a resend. The record does not change, not even the time of the first create. */
export function notResent(client: AccountClient, resource: Resource, saved: SavedResource, sent: NotDone): Refusal {
  const until = inFlightUntil(openOf(saved), client);
  // The message of a resend that a guard stops already contains the ways to resolve the create.
  const ways =
    sent.cause === "notSent" && sent.ends === "request"
      ? []
      : waysToResolve(client.account.mode, saved, saved.origin, until);
  return new Refusal(resource, messages.resendRefused(saved, sent, ways));
}
