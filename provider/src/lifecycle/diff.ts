import type { Resource, SavedResource } from "./resource.js";
import { textsOf } from "./texts/ofMode.js";
import { idOf, resendVariable, shownPlace } from "./texts/shared.js";
import type { CurrentSettings, Transition } from "./transitions.js";

type Update = Exclude<Transition, { kind: "unchanged" | "change" }>;

/** The preview's lines for an update that does more or less than the word "update" suggests. */
export function linesFor(
  next: Update,
  { origin }: Pick<SavedResource, "origin">,
  { label }: Pick<Resource, "label">,
  { mode }: Pick<CurrentSettings, "mode">,
): string[] {
  const on = (text: string) => `${label}: ${text}`;
  const since = `unconfirmed since ${origin.at}.`;
  switch (next.kind) {
    case "record":
      return [on(asDeclared(idOf(next.job)))];
    case "adopt":
      return [origin.outcome === "unconfirmed" ? textsOf(mode).willAdopt(label, next.id) : on(asDeclared(next.id))];
    case "decideDuringUp":
      // Mode `all` can change a job, so it refuses nothing.
      return mode.canChange
        ? []
        : [
            on(
              `${next.unknown.join(", ")} ${next.unknown.length === 1 ? "is" : "are"} known only during pulumi up. If the value then changes an existing job, pulumi up refuses the change and sends nothing.`,
            ),
          ];
    case "resend":
      return [
        on(`${since} This update resends it once to ${shownPlace(origin)}, because ${resendVariable} allows it.`),
      ];
    case "resolve":
      return [
        on(
          `${since} This update looks for its job at the service: it records the job if it is there, and resends the create once if it is not.`,
        ),
      ];
    // A guard refuses it.
    case "refuse":
    case "stayUnconfirmed":
      return [];
  }
}

const asDeclared = (id: string): string =>
  `this update sends nothing. Job ${id} is recorded as declared, without a check at the service.`;
