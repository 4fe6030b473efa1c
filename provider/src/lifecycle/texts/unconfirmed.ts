import { modes, type ConfigWords, type ModeRules } from "../../config/index.js";
import { declaredSource, hasSameSource, mayBeIdentity } from "../../client/jobMatch.js";
import type { Place } from "../../client/accountClient.js";
import type { ReadRecord } from "../../client/jobRecord.js";
import type { Search } from "../find.js";
import { aliasesFor } from "../aliases.js";
import { openOf, type OpenCreate } from "../unconfirmed/openCreate.js";
import type { OwnState, UnconfirmedCreate } from "../ownState.js";
import {
  accountIn,
  isStandIn,
  shownAs,
  sentSource,
  type Described,
  type Origin,
  type PropertyChange,
  type Resource,
  type SavedResource,
} from "../resource.js";
import { differsFromSent } from "./allMode.js";
import {
  adoptJob,
  adoptIt,
  byOtherStack,
  changeLines,
  clearPending,
  createAnew,
  descriptionOf,
  forget,
  idsOf,
  lookedFor,
  lookFor,
  mayBeOnItsWay,
  noUrn,
  otherResource,
  renamedWays,
  resendCommand,
  resendIt,
  resendVariable,
  seeWhetherItRuns,
  shownPlace,
  stillUnconfirmed,
  textOf,
  upWill,
} from "./shared.js";

// The messages about unconfirmed creates. Only mode `all` can look for a create's job.

/** What a refusal needs to know besides its own resource. */
export interface KnownCreates {
  readonly state: OwnState | undefined;
  /** The user's times for resends, in milliseconds, by URN. */
  readonly resendBefore: Readonly<Record<string, number>> | undefined;
  /** The ids that the user gives to this run, by URN: these creates are resolved. */
  readonly adopts: Readonly<Record<string, string>> | undefined;
  /** Whether another run of the stack may be alive: the words then promise less. */
  readonly mayRun: boolean;
  /** Whether no `up` follows: then no command resends or clears. */
  readonly isPreview: boolean;
  /** Until when a create may be in flight. */
  readonly until: (create: OpenCreate) => string | undefined;
}

type Sent = Pick<UnconfirmedCreate, "why" | "at" | "isAtOrBefore" | "firstAt">;

/** When a create was sent, and why its outcome is not known. `mayRun`: whether its run may be alive. */
export function sentText({ why, at, isAtOrBefore, firstAt }: Sent, mayRun = false): string {
  if (why === "lostReply")
    return firstAt === undefined
      ? `it was sent at ${at} and got no clear answer`
      : `it was sent at ${firstAt}, resent at ${at}, and got no clear answer`;
  const when = isAtOrBefore ? `at ${at} or before` : `at ${at}`;
  const under = mayRun ? "is under way, or " : "";
  return firstAt === undefined
    ? `${mayRun ? `it ${under}` : ""}a run was killed in it ${when}`
    : `it was sent at ${firstAt} and got no clear answer, and ${mayRun ? `its resend ${under}` : ""}a run was killed in ${mayRun ? "it" : "its resend"} ${when}`;
}

/** A line for each create: what to look for, and since when. */
export const linesOf = (creates: readonly UnconfirmedCreate[], mayRun: boolean): string[] =>
  creates.map((create) => `  - ${create.label}: ${descriptionOf(create)}; ${sentText(create, mayRun)}`);

type KnownOthers = Pick<KnownCreates, "state" | "adopts" | "mayRun">;
/** The create itself, or the stand-in of its record. */
type Identity = UnconfirmedCreate | { readonly id: string };

const othersOf = ({ state, adopts = {} }: KnownOthers, own: Identity): readonly UnconfirmedCreate[] =>
  (state?.unconfirmed ?? []).filter(
    (one) =>
      one.isOfOtherStack !== true &&
      adopts[one.urn] === undefined &&
      one !== own &&
      (one.id === undefined || one.id !== own.id),
  );

/** Names the other unconfirmed creates of the stack: whoever decides about one must see all. */
export const alsoUnconfirmed = (known: KnownOthers, own: Identity): string[] => {
  const others = othersOf(known, own);
  return others.length === 0 ? [] : ["Also unconfirmed in this stack:", ...linesOf(others, known.mayRun)];
};

/** The warning of the preview in `up`, which records a create that a run was killed in. */
export const willBeRecorded = (label: string): string =>
  `${label}: its create is under way, or a run was killed in it. pulumi up sends nothing for it. Unless another error ends that run first, it records the create as unconfirmed, and says how to go on.`;

/** The refusal of a new resource whose create is unconfirmed, in a mode that cannot look for its job. */
export function createIsUnconfirmed(
  resource: Resource,
  create: UnconfirmedCreate,
  place: Place,
  known: KnownCreates,
  moves: readonly PropertyChange[] = [],
): string {
  const { label, urn, words } = resource;
  const isOwn = create.urn === urn;
  const of = create.isOfOtherStack === true ? `${create.label} ${byOtherStack}` : otherResource(create.label, label);
  const source = create.source === undefined ? "which may be of the same job" : "of the same source";
  const whose = isOwn ? "its create" : `the create of ${of}, ${source},`;
  const account = accountIn(create.declared);
  // This stack's lock does not stop the runs of another stack.
  const mayRun = known.mayRun || create.isOfOtherStack === true;
  return refusal(`${whose} is unconfirmed: ${sentText(create, mayRun)}, so the job may exist. Nothing was sent.`, {
    ...{ known, urn, words },
    place: create.place ?? (account === accountIn(resource.declared) ? place : { ...place, account }),
    own: shownAs(create, resource),
    also: isOwn || create.isOfOtherStack === true ? [] : [create.urn],
    resent: [...movesTo(moves), ...(isOwn ? createsOther(create, resource) : [])],
    open: create,
    identity: create,
    // With an `id`, the state has a record, which an alias keeps.
    renamed: create.id === undefined || isOwn ? [] : renamedWays(create.label, aliasesFor(create.urn, urn)),
  });
}

/** The same for a resource of the state. */
function isUnconfirmed(saved: SavedResource, resource: Described, known: KnownCreates): string {
  const { id, origin, urn, words } = saved;
  const create = known.state?.unconfirmed.find((one) => one.id === id);
  const sent = sentText(create ?? ofOrigin(origin), known.mayRun);
  return refusal(`nothing was sent. Its create is still unconfirmed (${id}): ${sent}, so the job may exist.`, {
    ...{ known, place: origin, urn, words },
    own: shownAs(create ?? saved, resource),
    resent: createsOther({ source: sentSource(saved) }, resource),
    open: openOf(saved),
    identity: { id },
  });
}

const ofOrigin = ({ at, firstAt, isAtOrBefore }: Origin): Sent => ({
  ...{ why: isAtOrBefore === true ? "killedRun" : "lostReply", at, isAtOrBefore: isAtOrBefore === true, firstAt },
});

interface Parts {
  readonly own: Described;
  readonly open: OpenCreate;
  readonly words: ConfigWords;
  /** What is not among the others. */
  readonly identity: Identity;
  readonly renamed?: readonly string[];
  /** Whose create it is, if it is another resource's. */
  readonly also?: readonly string[];
  /** What else a resend means. */
  readonly resent?: readonly string[];
  readonly place: Place;
  readonly urn: string | undefined;
  readonly known: KnownCreates;
}

/** Says first how to look, then how to go on, and only then how to remove the engine's trace. */
function refusal(what: string, parts: Parts): string {
  const { own, open, words, identity, renamed = [], also: whose = [], resent = [], place, urn = noUrn, known } = parts;
  const { state, mayRun, isPreview, until } = known;
  const others = othersOf(known, identity);
  const also = alsoUnconfirmed(known, identity);
  if (isPreview) {
    const look = `The job to look for is ${descriptionOf(own)}.`;
    return [what, seeWhetherItRuns, upWill(false), look, adoptIt({ urn, words }), ...also, ...renamed].join("\n");
  }
  const first = others.filter((one) => one.trace === "pending" && until(one) !== undefined);
  const urns = others.flatMap((one) => (first.includes(one) ? [] : one.urn));
  const command = resendCommand(words, [urn, ...whose, ...urns], state?.savedAt);
  const resendBefore = known.resendBefore?.[urn];
  const isStale = resendBefore !== undefined && state?.savedAt !== undefined && resendBefore <= state.savedAt;
  const isPending = state?.unconfirmed.some((create) => create.isPending) === true;
  return [
    what,
    ...(mayRun ? [seeWhetherItRuns] : []),
    ...(isStale
      ? [
          `${resendVariable} has ${isoOf(resendBefore)} for it, and the state was written at ${isoOf(state.savedAt)}: a run may have used that time already.`,
        ]
      : []),
    ...mayBeOnItsWay(until(open)),
    `First look in the service at ${shownPlace(place)} for ${descriptionOf(own)}.`,
    ...also,
    ...renamed,
    ...(others.length === 0
      ? [adoptIt({ urn, words })]
      : [`  - If jobs exist, give their ids to one run, each by its resource's URN: ${adoptJob({ urn, words })}`]),
    others.length === 0
      ? `  - If the job does not exist, resend its create once: ${command}`
      : `  - When each job that exists has its id, resend the other creates once each, in the same run: ${command}`,
    ...first.map(({ label }) => `    That run first records the create of ${label}, and says when it can be resent.`),
    ...resent,
    ...(whose.length + others.length === 0 ? [] : [joined]),
    ...(isPending
      ? [`When all are resolved, and not before, clear the engine's pending operations: ${clearPending(words)}`]
      : []),
  ].join("\n");
}

export const isoOf = (ms = 0): string => new Date(ms).toISOString();

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

/** Of a create whose beginning is not known, no later run can tell which job it made. */
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
  ...(mayRun ? [seeWhetherItRuns] : []),
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

const nothing = (done: "sent" | "deleted", saved: SavedResource, mayRun: boolean, ...ways: readonly string[]): string =>
  [`nothing was ${done}. ${stillUnconfirmed(saved, mayRun)}`, ...ways].join("\n");

/** Why nothing is sent for an unconfirmed create. `placeChanges`: how its place differs from this run's. */
export const staysUnconfirmed = (
  { canRead }: ModeRules,
  saved: SavedResource,
  resource: Described,
  placeChanges: readonly PropertyChange[],
  known: KnownCreates,
): string =>
  canRead
    ? nothing(
        "sent",
        saved,
        false,
        "It was sent with other settings:",
        ...changeLines(placeChanges),
        "Undo that change and run pulumi up, which looks for the job.",
        `Or, if the service moved, look at the new address for ${descriptionOf(shownAs(saved, resource))}, created at about ${saved.origin.at}.`,
        ...(isStandIn(saved.id)
          ? lookedFor(saved)
          : // Of a killed run's create, the state has no record.
            [adoptIt(saved), resendIt("If it does not exist", saved), ...movesTo(placeChanges), joined]),
      )
    : [
        isUnconfirmed(saved, resource, known),
        ...placeChanges.map(
          ({ path, was, now }) =>
            `    A resend works only if ${path} is ${was ?? ""} again, as for the first create; it is ${now ?? ""} now.`,
        ),
        ...(placeChanges.length > 0 ? createAnew("If you cannot change it back, and the job does not exist") : []),
      ].join("\n");

/** A preview passes only if each resource that prints such a command is named. */
const joined = "Commands of several errors go into one run: put the URNs of all into one command.";

/** What a resend creates if the declaration has another source than the create was sent with. */
const createsOther = ({ source }: Pick<UnconfirmedCreate, "source">, resource: Described): string[] =>
  source === undefined || source === declaredSource(resource)
    ? []
    : [`    A resend creates ${descriptionOf(resource)}, as declared now. Look for that one too.`];

/** Where a resend goes if the create was sent to another place than today's, and the state has no record of it. */
const movesTo = (placeChanges: readonly PropertyChange[]): string[] =>
  placeChanges.map(({ path, was, now }) => `    A resend goes to today's ${path}: ${was ?? ""} → ${now ?? ""}.`);

const takeIn = "pulumi refresh, which saves the job in the state if it finds it. Then run the failed command again.";

/** What a command says about an unconfirmed create that it does not resolve. */
export function unresolved(
  saved: SavedResource,
  found: Search,
  command: "up" | "refresh" | "destroy",
  seen: Seen,
): string {
  const { mayRun, until } = seen;
  if (command === "destroy") return nothing("deleted", saved, mayRun, ...waysToDelete(found, seen));
  if (command === "up") return nothing("sent", saved, mayRun, ...waysToResend(saved, found, seen));
  const unsettled = [
    `Its job is not in the list of jobs so far. ${waitFirst(until)} pulumi refresh or pulumi up. If the job is still not there, pulumi up resends the create once.`,
  ];
  const way =
    found.kind === "none" && !found.isSettled
      ? mayRun
        ? [seeWhetherItRuns, ...unsettled]
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
  const first = seen.mayRun ? [seeWhetherItRuns] : [];
  const ways = seen.isPreview ? [upWill(true)] : waysToResolve(modes.all, saved, saved.origin, seen.until);
  return [...first, ...ways, ...lookToo(seen.others)];
}

function waysToDelete(found: Search, { until }: Seen): readonly string[] {
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
        ...forget,
      ];
    case "unclear":
      return [
        ...mayBeOnItsWay(until),
        `${unclear(found.records)} If the create made a job that nobody needs, delete that job at the service. Then remove this resource from the state:`,
        ...forget,
      ];
  }
}
