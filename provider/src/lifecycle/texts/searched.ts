import { modes, type ModeRules } from "../../config/index.js";
import { declaredSource, hasSameSource, mayBeIdentity } from "../../client/jobMatch.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import { idsOf } from "../../client/proof.js";
import type { Search } from "../find.js";
import type { Described, Origin, SavedResource } from "../resource.js";
import { differsFromSent } from "./sources.js";
import {
  adoptJob,
  adoptIt,
  descriptionOf,
  forget,
  lookFor,
  mayBeOnItsWay,
  resendIt,
  seeWhetherItRuns,
  stillUnconfirmed,
  textOf,
  upWill,
} from "./shared.js";

// How an unconfirmed create is resolved, and what a search for its job has shown.

/** What to find out before resolving a create: whether its run is alive, and whether it is another stack's to resolve. */
export const findOutFirst = (mayRun: boolean, otherStack: string | undefined): string[] => [
  ...(mayRun ? [seeWhetherItRuns(otherStack)] : []),
  ...(otherStack === undefined
    ? []
    : [
        `If ${otherStack} is another stack, run pulumi up there, which resolves its create: its job is not this stack's. Only if this stack had that name, go on here:`,
      ]),
];

const unclear = (records: readonly ReadRecord[]): string =>
  records.length === 1
    ? `Job ${idsOf(records)} at the service could be from this create: only you can tell.`
    : `One of these jobs at the service could be from this create, and only you can tell which: ${idsOf(records)}.`;

/**
 * Whether another run of the stack may be alive, whether no `up` follows, and until when the request may be on its way.
 */
interface Seen {
  readonly mayRun: boolean;
  readonly isPreview: boolean;
  readonly until: string | undefined;
  /** The resource's other unconfirmed creates: a resend means that they made no job either. */
  readonly others?: readonly Described[];
  /** What is declared now. Default: what was sent. */
  readonly now?: Described;
}

/** Without the time at which a create began, no later run can tell which job it made. */
const looksAgain = ({ isAtOrBefore }: Origin): string =>
  isAtOrBefore === true
    ? "pulumi up, which looks for the job again. It asks you about a job that could be the one, and otherwise resends the create once."
    : "pulumi up, which looks for the job again. It records the job if it is there, and otherwise resends the create once.";

const waitFirst = (until: string | undefined): string =>
  until === undefined ? "Run" : `The request may still be on its way. Wait until ${until}, then run`;

/** The ways to resolve an unconfirmed create, which may be in flight until then. A way without manual work comes first. */
export const waysToResolve = (
  { canRead }: ModeRules,
  resource: Described & Pick<SavedResource, "urn" | "words">,
  origin: Origin,
  until: string | undefined,
): readonly string[] =>
  canRead
    ? [
        `${waitFirst(until)} ${looksAgain(origin)}`,
        `If you do not want to wait, ${lookFor("look", resource, origin)}`,
        adoptIt(resource),
      ]
    : [
        ...mayBeOnItsWay(until),
        lookFor("Look", resource, origin),
        adoptIt(resource),
        resendIt("If it does not exist", resource),
      ];

/** Once this run has written the state, their only trace may be gone. */
const lookToo = (others: readonly Described[] = []): string[] =>
  others.map((other) => `Look too for the job of its other unconfirmed create: ${descriptionOf(other)}.`);

/** How the user can decide which job belongs to an unconfirmed create: no later run can. */
const waysToDecide = (
  saved: SavedResource,
  { records, differences }: Extract<Search, { kind: "unclear" }>,
  { mayRun, isPreview, until, others = [], now = saved }: Seen,
): string[] => [
  unclear(records),
  ...differsFromSent(differences),
  ...findOutFirst(mayRun, saved.open?.otherStack),
  ...(isPreview ? [] : mayBeOnItsWay(until)),
  lookFor("Look", saved, saved.origin),
  ...lookToo(others),
  `  - If ${records.length === 1 ? "it" : "a job"} is from this create: ${adoptJob(saved, records.length === 1 ? idsOf(records) : undefined)}`,
  ...(declaredSource(now) !== undefined &&
  records.some((record) => hasSameSource(now, record) || mayBeIdentity(now, record))
    ? [
        `  - If no job is from this create and nobody needs ${idsOf(records)}: delete ${idsOf(records)} at the service (a source can have only one job), and run pulumi up again.`,
      ]
    : isPreview
      ? []
      : [resendIt(`If no job is from ${others.length === 0 ? "this create" : "any of them"}`, saved)]),
  ...(isPreview ? [] : [joined]),
];

export const nothing = (
  done: "sent" | "deleted",
  saved: SavedResource,
  mayRun: boolean,
  ...ways: readonly string[]
): string => [`nothing was ${done}. ${stillUnconfirmed(saved, mayRun)}`, ...ways].join("\n");

/** A preview passes only if each resource that prints such a command is named. */
export const joined = "Commands of several errors go into one run: put the URNs of all into one command.";

const takeIn = "pulumi refresh, which saves the job in the state if it finds it. Then run the failed command again.";

/** What a command says about an unconfirmed create that it does not resolve. */
export function unresolved(
  saved: SavedResource,
  found: Search,
  command: "up" | "refresh" | "destroy",
  seen: Seen,
): string {
  const { mayRun, until } = seen;
  if (command === "destroy") return nothing("deleted", saved, mayRun, ...waysToDelete(saved, found, seen));
  if (command === "up") return nothing("sent", saved, mayRun, ...waysToResend(saved, found, seen));
  const unsettled = [
    `Its job is not in the list of jobs so far. ${waitFirst(until)} pulumi refresh or pulumi up. If the job is still not there, pulumi up resends the create once.`,
  ];
  const way =
    found.kind === "none" && !found.isSettled
      ? mayRun
        ? [seeWhetherItRuns(), ...unsettled]
        : unsettled
      : ["Its job is not in the list of jobs. Run pulumi up, which resends the create once."];
  const ways = found.kind === "unclear" ? waysToDecide(saved, found, seen) : way;
  return [stillUnconfirmed(saved, mayRun), ...ways].join("\n");
}

/** The ways to go on with a create that is recorded as unconfirmed after a search. */
export const waysAfterSearch = (
  saved: SavedResource,
  found: Search,
  until: string | undefined,
  { now, others }: Required<Pick<Seen, "now" | "others">>,
): readonly string[] => waysToResend(saved, found, { mayRun: false, isPreview: false, until, now, others });

function waysToResend(saved: SavedResource, found: Search, seen: Seen): readonly string[] {
  if (found.kind === "failed") return [textOf(found), ...lookToo(seen.others)];
  if (found.kind === "unclear") return waysToDecide(saved, found, seen);
  const first = findOutFirst(seen.mayRun, saved.open?.otherStack);
  const ways = seen.isPreview ? [upWill(true)] : waysToResolve(modes.all, saved, saved.origin, seen.until);
  return [...first, ...ways, ...lookToo(seen.others)];
}

function waysToDelete(saved: SavedResource, found: Search, { until }: Seen): readonly string[] {
  switch (found.kind) {
    case "failed":
      return [found.what, `When the service answers again, run ${takeIn}`];
    case "none":
      return [`${waitFirst(until)} ${takeIn}`];
    case "found":
      return [
        `Job ${idsOf([found.record])} at the service matches the declaration. Do one of these:`,
        `  - To delete the job, run ${takeIn}`,
        "  - To keep the job running, remove this resource from the state:",
        ...forget(saved),
      ];
    case "unclear":
      return [
        ...mayBeOnItsWay(until),
        `${unclear(found.records)} If the create made a job that nobody needs, delete that job at the service. Then remove this resource from the state:`,
        ...forget(saved),
      ];
  }
}
