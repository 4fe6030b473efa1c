import type { ConfigWords, ModeRules } from "../../config/index.js";
import { declaredSource } from "../../client/jobMatch.js";
import type { Place } from "../../client/accountClient.js";
import type { Reason } from "../../client/outcomes.js";
import { aliasesFor } from "../aliases.js";
import { openOf, type OpenCreate } from "../unconfirmed/openCreate.js";
import type { OwnState, UnconfirmedCreate } from "../ownState.js";
import {
  isStandIn,
  shownAs,
  sentOf,
  type Described,
  type Origin,
  type PropertyChange,
  type Resource,
  type SavedResource,
} from "../resource.js";
import type { SentJob } from "../sentJob.js";
import { namesConnection } from "../../jobs/index.js";
import { sentences } from "../../sentences.js";
import { findOutFirst, joined, nothing } from "./searched.js";
import {
  adoptJob,
  adoptIt,
  byOtherStack,
  changeLines,
  clearPending,
  createAnew,
  descriptionOf,
  lookedFor,
  mayBeOnItsWay,
  noUrn,
  otherResource,
  renamedWays,
  resendCommand,
  resendIt,
  resendVariable,
  adoptVariable,
  shownPlace,
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
  /** Whether a create's run may be alive: the words then promise less. */
  readonly mayRun: (create: Pick<OpenCreate, "otherStack">) => boolean;
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
export const linesOf = (creates: readonly UnconfirmedCreate[], mayRun: KnownCreates["mayRun"]): string[] =>
  creates.map((create) => {
    const account = create.sent.account;
    const named = account === undefined ? "" : ` in account ${account}`;
    const at = create.place === undefined ? named : ` at ${shownPlace(create.place)}`;
    return `  - ${create.label}: ${descriptionOf(create.sent.described)}${at}; ${sentText(create, mayRun(create))}`;
  });

type KnownOthers = Pick<KnownCreates, "state" | "adopts" | "mayRun">;
/** The create itself, or the stand-in of its record. */
type Identity = UnconfirmedCreate | { readonly id: string };

const othersOf = ({ state, adopts = {} }: KnownOthers, own: Identity): readonly UnconfirmedCreate[] =>
  (state?.unconfirmed ?? []).filter(
    (one) =>
      one.otherStack === undefined &&
      adopts[one.urn] === undefined &&
      one !== own &&
      (one.id === undefined || one.id !== own.id),
  );

/** Names the other unconfirmed creates of the stack: whoever decides about one must see all. */
export const alsoUnconfirmed = (known: KnownOthers, own: Identity): string[] => {
  const others = othersOf(known, own);
  return others.length === 0 ? [] : ["Also unconfirmed in this stack:", ...linesOf(others, known.mayRun)];
};

/** What a resource calls a create that may have made its job: another one may have been sent under another name. */
export function whoseCreate(create: UnconfirmedCreate, { urn, label }: Pick<Resource, "urn" | "label">): string {
  if (create.urn === urn) return "its create";
  const { label: holder, otherStack } = create;
  const of =
    otherStack === undefined ? otherResource(holder, label, "another") : `${holder} ${byOtherStack(otherStack)}`;
  return `the create of ${of}`;
}

/** The warning of the preview in `up`, which records a create that a run was killed in. */
export const willBeRecorded = (label: string, whose: string): string =>
  `${label}: ${whose} is under way, or a run was killed in it. pulumi up sends nothing for it. Unless another error ends that run first, it records the create as unconfirmed, and says how to go on.`;

/** The refusal of a new resource whose create is unconfirmed, in a mode that cannot look for its job. */
export function createIsUnconfirmed(
  resource: Resource,
  create: UnconfirmedCreate,
  place: Place,
  known: KnownCreates,
  moves: readonly PropertyChange[] = [],
): Reason {
  const { urn, words } = resource;
  const isOwn = create.urn === urn;
  const { otherStack } = create;
  // A query's name tells no account, and a note no provider.
  const isOfAccount = namesConnection(create.kind) || (create.isOfProvider && create.trace !== "note");
  const isCertain = create.sent.source !== undefined && isOfAccount;
  const source = isCertain ? "of the same source" : "which may be of the same job";
  const whose = `${whoseCreate(create, resource)}${isOwn ? "" : `, ${source},`}`;
  return refusal(
    `${whose} is unconfirmed: ${sentText(create, known.mayRun(create))}, so the job may exist. Nothing was sent.`,
    {
      ...{ known, urn, words },
      place,
      own: shownAs(create.sent.described, resource),
      // Whose job the user names is not resent.
      also: isOwn || otherStack !== undefined || known.adopts?.[create.urn] !== undefined ? [] : [create.urn],
      mayBeOf: isOwn || otherStack !== undefined || isCertain ? undefined : create,
      resent: [...movesTo(moves), ...(isOwn ? createsOther(create.sent, resource) : [])],
      open: create,
      identity: create,
      // With an `id`, the state has a record, which an alias keeps.
      renamed: create.id === undefined || isOwn ? [] : renamedWays(create.label, aliasesFor(create.urn, urn)),
    },
  );
}

/** The same for a resource of the state. */
function isUnconfirmed(saved: SavedResource, resource: Described, known: KnownCreates): Reason {
  const { id, origin, urn, words } = saved;
  const create = known.state?.unconfirmed.find((one) => one.id === id);
  const sent = sentText(create ?? ofOrigin(origin), known.mayRun(openOf(saved)));
  return refusal(`nothing was sent. Its create is still unconfirmed (${id}): ${sent}, so the job may exist.`, {
    ...{ known, place: origin, urn, words },
    own: shownAs(create?.sent.described ?? saved, resource),
    resent: createsOther(sentOf(saved), resource),
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
  /** The same, if the job may be that resource's or this one's: which, the state does not show. */
  readonly mayBeOf?: UnconfirmedCreate | undefined;
  /** What else a resend means. */
  readonly resent?: readonly string[];
  readonly place: Place;
  readonly urn: string | undefined;
  readonly known: KnownCreates;
}

/**
 * Says first how to look, then how to go on, and only then how to remove the engine's trace. One error says all of it for
 * all creates.
 */
function refusal(what: string, parts: Parts): Reason {
  const { own, open, words, identity, renamed = [], also: whose = [], mayBeOf, resent = [], place, known } = parts;
  const { urn = noUrn } = parts;
  const { state, mayRun, isPreview, until } = known;
  const had = state?.jobs.find((job) => job.urn === urn && job.jobId !== undefined)?.jobId;
  const others = othersOf(known, identity);
  const also = alsoUnconfirmed(known, identity);
  const whole = (...lines: readonly string[]): Reason => ({
    ...{ what: [what, ...lines].join("\n"), fix: undefined, isWhole: true },
    // A create of another stack is not among the others of an error.
    ...(others.length > 0 &&
      open.otherStack === undefined &&
      whose.length + renamed.length + resent.length === 0 && {
        once: {
          key: "unconfirmed",
          again: (first) =>
            sentences(
              `${what} The error on ${first} says how to go on.`,
              ...mayBeOnItsWay(until(open)),
              `Look in the service at ${shownPlace(place)} for ${descriptionOf(own)}.`,
            ),
        },
      }),
  });
  const isThis = mayBeOf && ` and is this resource's, also if ${mayBeOf.label} was renamed to it`;
  const adoptOwn = adoptIt({ urn, words }, "one run", isThis);
  if (isPreview) {
    const look = `The job to look for is ${descriptionOf(own)}.`;
    const first = findOutFirst(true, open.otherStack);
    const ofOther = mayBeOf === undefined ? [] : [adoptOther(mayBeOf, words)];
    return whole(...first, upWill(false), look, adoptOwn, ...ofOther, ...also, ...renamed);
  }
  const first = others.filter((one) => one.trace === "pending" && until(one) !== undefined);
  const urns = others.flatMap((one) => (first.includes(one) ? [] : one.urn));
  const resendBefore = known.resendBefore?.[urn];
  const isStale = resendBefore !== undefined && state?.savedAt !== undefined && resendBefore <= state.savedAt;
  const resend = (...all: readonly string[]) =>
    resendCommand(words, all, state?.savedAt, isStale ? resendBefore : undefined);
  const isPending = state?.unconfirmed.some((create) => create.isPending) === true;
  const named = { [resendVariable]: known.resendBefore, [adoptVariable]: known.adopts };
  const passedBy = Object.entries(named).flatMap(([variable, byUrn]) =>
    byUrn === undefined || byUrn[urn] !== undefined
      ? []
      : [`${variable} names ${Object.keys(byUrn).join(" and ")}, not this resource.`],
  );
  return whole(
    ...findOutFirst(mayRun(open), open.otherStack),
    ...(isStale
      ? [
          `${resendVariable} has ${isoOf(resendBefore)} for it, and the state was written at ${isoOf(state.savedAt)}: a run may have used that time already, or this one has changed something else first.`,
        ]
      : []),
    ...passedBy,
    ...mayBeOnItsWay(latestOf([open, ...others.filter((one) => !first.includes(one))].map(until))),
    `First look in the service at ${shownPlace(place)} for ${descriptionOf(own)}.`,
    ...(had === undefined ? [] : [`Not job ${had}: this resource has it, whatever became of the create.`]),
    ...also,
    ...renamed,
    ...(others.length === 0
      ? [adoptOwn]
      : [
          `  - If jobs exist, give their ids to one run of a program that declares all of these, each by its resource's URN: ${adoptJob({ urn, words })}`,
        ]),
    others.length === 0
      ? `  - If the job does not exist, resend its create once: ${resend(urn, ...whose, ...urns)}`
      : `  - When each job that exists has its id, resend the other creates once each, in the same run: ${resend(urn, ...whose, ...urns)}`,
    ...(mayBeOf === undefined
      ? []
      : [adoptOther(mayBeOf, words), `    In the same run, have this resource's create sent: ${resend(urn)}`]),
    ...first.map(({ label }) => `    That run first records the create of ${label}, and says when it can be resent.`),
    ...resent,
    ...(whose.length + others.length === 0 ? [] : [joined]),
    ...(isPending
      ? [`When all are resolved, and not before, clear the engine's pending operations: ${clearPending(words)}`]
      : []),
  );
}

/** How to go on if the job that the user finds is another resource's. */
const adoptOther = ({ label, urn }: UnconfirmedCreate, words: ConfigWords): string =>
  `  - If the program still declares ${label}, and the job is that resource's, give the id to it: ${adoptJob({ urn, words })}`;

/** The last of these times: one command resends several creates. */
const latestOf = (times: readonly (string | undefined)[]): string | undefined =>
  times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);

export const isoOf = (ms = 0): string => new Date(ms).toISOString();

/** Why nothing is sent for an unconfirmed create. `placeChanges`: how its place differs from this run's. */
export const staysUnconfirmed = (
  { canRead }: ModeRules,
  saved: SavedResource,
  resource: Described,
  placeChanges: readonly PropertyChange[],
  known: KnownCreates,
): string | Reason => {
  const { isPreview, until } = known;
  const mayRun = known.mayRun(openOf(saved));
  if (canRead)
    return nothing(
      "sent",
      saved,
      mayRun,
      ...findOutFirst(mayRun, openOf(saved).otherStack),
      "It was sent with other settings:",
      ...changeLines(placeChanges),
      "Undo that change and run pulumi up, which looks for the job.",
      `Or, if the service moved, look at the new address for ${descriptionOf(shownAs(saved, resource))}, created at about ${saved.origin.at}.`,
      ...(isPreview ? [adoptIt(saved)] : waysElsewhere(saved, placeChanges, until(openOf(saved)))),
    );
  const why = isUnconfirmed(saved, resource, known);
  if (placeChanges.length === 0) return why;
  return [
    why.what,
    ...placeChanges.map(
      ({ path, was, now }) =>
        `    A resend works only if ${path} is ${was ?? ""} again, as for the first create. It is ${now ?? ""} now, and a job whose id you give is recorded there.`,
    ),
    ...createAnew("If you cannot change it back, and the job does not exist", saved),
  ].join("\n");
};

/** How to go on with a create that was sent to another place. Of a killed run's create, the resource has no record. */
const waysElsewhere = (saved: SavedResource, moves: readonly PropertyChange[], until: string | undefined) =>
  isStandIn(saved.id) && (saved.open === undefined || saved.open.urn === saved.urn)
    ? lookedFor(saved, until)
    : [...mayBeOnItsWay(until), adoptIt(saved), resendIt("If it does not exist", saved), ...movesTo(moves), joined];

/** What a resend creates if the declaration has another source than the create was sent with. */
const createsOther = ({ source }: Pick<SentJob, "source">, resource: Described): string[] =>
  source === undefined || source === declaredSource(resource)
    ? []
    : [`    A resend creates ${descriptionOf(resource)}, as declared now. Look for that one too.`];

/** Where a resend goes if the create was sent to another place than today's, and the state has no record of it. */
const movesTo = (placeChanges: readonly PropertyChange[]): string[] =>
  placeChanges.map(({ path, was, now }) => `    A resend goes to today's ${path}: ${was ?? ""} → ${now ?? ""}.`);
