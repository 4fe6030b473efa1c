import { declaredSource } from "../../client/jobMatch.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import type { Search } from "../find.js";
import { isStandIn, type Described, type Origin, type PropertyChange, type SavedResource } from "../resource.js";
import {
  addId,
  adoptIt,
  changeLines,
  descriptionOf,
  forget,
  idsOf,
  lookedFor,
  lookFor,
  resendIt,
  stillUnconfirmed,
  textOf,
} from "./shared.js";

// The messages about an unconfirmed create in mode `all`: this mode can look for the create's job.

const unclear = (records: readonly ReadRecord[]): string =>
  records.length === 1
    ? `Job ${idsOf(records)} at the service could be from this create: only you can tell.`
    : `One of these jobs at the service could be from this create, and only you can tell which: ${idsOf(records)}.`;

type Killed = SavedResource["killed"];

/**
 * A create that only the state shows may have waited up to ten minutes for the rate limit before it was sent. The text
 * does not name the time of that state, because a refused run may write the state again.
 */
const waitFirst = (killed: Killed): string =>
  killed?.isAtOrBefore === true
    ? "The request may still be on its way. Wait twelve minutes (or ten and timeoutSeconds, if that is longer), then run"
    : "The request may still be on its way. Wait two minutes (or timeoutSeconds, if that is longer), then run";

/** The ways to resolve an unconfirmed create. The way without manual work comes first. */
export const waysToResolve = (
  resource: Described & Pick<SavedResource, "words">,
  origin: Origin,
  killed?: Killed,
): string[] => [
  `${waitFirst(killed)} pulumi up, which looks for the job again. It records the job if it is there, and otherwise resends the create once.`,
  `If you do not want to wait, ${lookFor("look", resource, origin, killed)}`,
  adoptIt,
  ...resendIt("If it does not exist", resource.words),
];

/** How the user can decide which job belongs to an unconfirmed create: no later run can. */
const waysToDecide = (saved: SavedResource, records: readonly ReadRecord[]): string[] => [
  unclear(records),
  lookFor("Look", saved, saved.origin, saved.killed),
  `  - If a job is from this create: add its id ${addId}`,
  ...(declaredSource(saved) === undefined
    ? resendIt("If no job is from this create", saved.words)
    : [
        `  - If no job is from this create and nobody needs ${idsOf(records)}: delete ${idsOf(records)} at the service (a source can have only one job), and run pulumi up again.`,
      ]),
];

const nothing = (done: "sent" | "deleted", saved: SavedResource, ...ways: readonly string[]): string =>
  [`nothing was ${done}. ${stillUnconfirmed(saved)}`, ...ways].join("\n");

/** If the place differs, this run cannot look for the job. */
export const staysUnconfirmed = (saved: SavedResource, placeChanges: readonly PropertyChange[]): string =>
  nothing(
    "sent",
    saved,
    "It was sent with other settings:",
    ...changeLines(placeChanges),
    "Undo that change and run pulumi up, which looks for the job.",
    `Or, if the service moved, look at the new address for ${descriptionOf(saved)}, created at about ${saved.origin.at}.`,
    // Of a killed run's create, the state has no record.
    ...(isStandIn(saved.id) ? lookedFor() : [adoptIt]),
  );

const takeIn = "pulumi refresh, which saves the job in the state if it finds it. Then run the failed command again.";

/** What a command says about an unconfirmed create that it does not resolve. */
export function unresolved(saved: SavedResource, found: Search, command: "up" | "refresh" | "destroy"): string {
  if (command === "destroy") return nothing("deleted", saved, ...waysToDelete(saved, found));
  if (command === "up") return nothing("sent", saved, ...waysToResend(saved, found));
  const way =
    found.kind === "none" && !found.isSettled
      ? `Its job is not in the list of jobs so far. ${waitFirst(saved.killed)} pulumi refresh or pulumi up. If the job is still not there, pulumi up resends the create once.`
      : "Its job is not in the list of jobs. Run pulumi up, which resends the create once.";
  return [stillUnconfirmed(saved), ...(found.kind === "unclear" ? waysToDecide(saved, found.records) : [way])].join(
    "\n",
  );
}

function waysToResend(saved: SavedResource, found: Search): readonly string[] {
  if (found.kind === "failed") return [textOf(found)];
  return found.kind === "unclear"
    ? waysToDecide(saved, found.records)
    : waysToResolve(saved, saved.origin, saved.killed);
}

function waysToDelete(saved: SavedResource, found: Search): readonly string[] {
  switch (found.kind) {
    case "failed":
      return [found.what, `When the service answers again, run ${takeIn}`];
    case "none":
      return [`${waitFirst(saved.killed)} ${takeIn}`];
    case "found":
      return [
        `Job ${idsOf([found.record])} at the service matches the declaration. Do one of these:`,
        `  - To delete the job, run ${takeIn}`,
        "  - To keep the job running, remove this resource from the state:",
        ...forget,
      ];
    case "unclear":
      return [
        `${unclear(found.records)} If the create made a job that nobody needs, delete that job at the service. Then remove this resource from the state:`,
        ...forget,
      ];
  }
}
