import { instantOf } from "../dateTime.js";
import type { Resource, SavedResource } from "./resource.js";
import { textsOf } from "./texts/ofMode.js";
import * as messages from "./texts/shared.js";
import type { CurrentSettings, Transition } from "./transitions.js";

type Update = Exclude<Transition, { kind: "refuse" | "unchanged" | "change" }>;

/** The preview's lines for an update that does more, or less, than the word "update" says. */
export function linesFor(
  next: Update,
  { origin }: SavedResource,
  { label }: Resource,
  { resendBefore = Infinity, mode }: CurrentSettings,
): string[] {
  const says = textsOf(mode);
  const notLater =
    (instantOf(origin.at) ?? 0) >= resendBefore ? [messages.isNotLater(label, origin, resendBefore)] : [];
  switch (next.kind) {
    case "record":
      return [messages.willRecordAsDeclared(label, next.job)];
    case "adopt":
      return [
        origin.outcome === "unconfirmed" ? says.willAdopt(label, next.id) : messages.willRecordAsDeclared(label, next),
      ];
    case "decideDuringUp": {
      const line = says.willDecideDuringUp(label, next.unknown);
      return line === undefined ? [] : [line];
    }
    case "resend":
      return [messages.willResend(label, origin)];
    case "resolve":
      return [...notLater, messages.willResolve(label, origin)];
    case "stayUnconfirmed":
      return [...notLater, messages.willStayUnconfirmed(label, origin, next.placeChanges.length === 0)];
  }
}
