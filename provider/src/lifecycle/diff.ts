import { instantOf } from "../dateTime.js";
import type { Resource, SavedResource } from "./resource.js";
import { textsOf } from "./texts/ofMode.js";
import * as messages from "./texts/shared.js";
import type { CurrentSettings, Transition } from "./transitions.js";

type Update = Exclude<Transition, { kind: "refuse" | "unchanged" | "change" }>;

/** The preview's lines for an update that does more, or less, than the word "update" says. */
export function linesFor(
  next: Update,
  saved: SavedResource,
  { label }: Resource,
  { resendBefore = Infinity, mode }: CurrentSettings,
): string[] {
  const isUnresolved = next.kind === "stayUnconfirmed" || next.kind === "resolve";
  const isNotLater = isUnresolved && (instantOf(saved.origin.at) ?? 0) >= resendBefore;
  const line = lineFor(next, saved, label, mode);
  return [
    ...(isNotLater ? [messages.isNotLater(label, saved.origin, resendBefore)] : []),
    ...(line === undefined ? [] : [line]),
  ];
}

function lineFor(
  next: Update,
  { origin }: SavedResource,
  label: string,
  mode: CurrentSettings["mode"],
): string | undefined {
  const says = textsOf(mode);
  switch (next.kind) {
    case "record":
      return next.why === "noEffect" ? messages.willRecordOnly(label) : messages.willRecordAsDeclared(label, next.job);
    case "adopt":
      return origin.outcome === "unconfirmed"
        ? says.willAdopt(label, next.id)
        : messages.willRecordAsDeclared(label, next);
    case "decideDuringUp":
      return says.willDecideDuringUp(label, next.unknown);
    case "resend":
      return messages.willResend(label, origin);
    case "resolve":
      return messages.willResolve(label, origin);
    case "stayUnconfirmed":
      return messages.willStayUnconfirmed(label, origin, next.placeChanges.length === 0);
  }
}
