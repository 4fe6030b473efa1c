import { SettingsError, type ConfigWords } from "../../config/index.js";
import { openOf, type OpenCreate } from "../openCreate.js";
import type { OwnState, UnconfirmedCreate } from "../ownState.js";
import { accountIn, type Described, type Origin, type Place, type Resource, type SavedResource } from "../resource.js";
import { aliasesFor } from "../aliases.js";
import {
  adoptIt,
  byOtherStack,
  adoptJob,
  descriptionOf,
  mayBeOnItsWay,
  otherResource,
  renamedWays,
  resendCommand,
  resendVariable,
  seeWhetherItRuns,
  shownPlace,
  upWill,
} from "./shared.js";

/** What a refusal needs to know besides its own resource. */
export interface KnownCreates {
  readonly state: OwnState | undefined;
  /** The user's time for a resend, in milliseconds. */
  readonly resendBefore: number | undefined;
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
const linesOf = (creates: readonly UnconfirmedCreate[], mayRun: boolean): string[] =>
  creates.map((create) => `  - ${create.label}: ${descriptionOf(create)}; ${sentText(create, mayRun)}`);

/** Names the other unconfirmed creates of the stack: whoever decides about one must see all. */
export const othersOf = (
  { state, mayRun }: Pick<KnownCreates, "state" | "mayRun">,
  own: Partial<Pick<UnconfirmedCreate, "id" | "urn">>,
): string[] => {
  const others = (state?.unconfirmed ?? []).filter(
    ({ id, urn, isOfOtherStack }) => isOfOtherStack !== true && (id === undefined ? urn !== own.urn : id !== own.id),
  );
  return others.length === 0 ? [] : ["Also unconfirmed in this stack:", ...linesOf(others, mayRun)];
};

/** The warning of the preview in `up`, which records a create that a run was killed in. */
export const willBeRecorded = (label: string): string =>
  `${label}: its create is under way, or a run was killed in it. pulumi up sends nothing for it, records it as unconfirmed, and says how to go on.`;

/** The creates of the stack that the state has no record for. */
export const unrecordedIn = (state: OwnState | undefined): readonly UnconfirmedCreate[] =>
  (state?.unconfirmed ?? []).filter(({ id, isOfOtherStack }) => id === undefined && isOfOtherStack !== true);

/** The warning of `pulumi destroy` about creates that the state has no record for. */
export const leavesUnrecorded = (creates: readonly UnconfirmedCreate[]): string =>
  [
    "pulumi destroy deletes no job that the state has no record of. These creates are unrecorded; if a job exists, it keeps running. Look for it at the service:",
    ...linesOf(creates, true),
  ].join("\n");

/** The warning of a refresh before which the CLI has removed the pending creates. Only notes tell of them now. */
export const clearedPending = (creates: readonly UnconfirmedCreate[]): string =>
  [
    `--clear-pending-creates has removed the pending creates from the state. If a run was killed in one and its job exists, the job keeps running, and no stack has it${
      creates.length === 0
        ? ". Look at the service for jobs that no stack has. In mode all: pulumi stack export | npx pulumi-data-connectivity jobs --at-service -"
        : ". Look at the service for the jobs of these creates, which this machine has noted:"
    }`,
    ...linesOf(creates, true),
  ].join("\n");

const clear = "pulumi refresh --clear-pending-creates --yes --non-interactive";

/** The refusal of a new resource whose create is unconfirmed, in a mode that cannot look for its job. */
export function createIsUnconfirmed(
  resource: Resource,
  create: UnconfirmedCreate,
  place: Place,
  known: KnownCreates,
): string {
  const { label, urn, words } = resource;
  const isOwn = create.urn === urn;
  const of = create.isOfOtherStack === true ? `${create.label} ${byOtherStack}` : otherResource(create.label, label);
  const whose = isOwn ? "its create" : `the create of ${of}, of the same source,`;
  const account = accountIn(create.declared);
  // The lock of this stack says nothing about the runs of another one.
  const mayRun = known.mayRun || create.isOfOtherStack === true;
  return refusal(`${whose} is unconfirmed: ${sentText(create, mayRun)}, so the job may exist. Nothing was sent.`, {
    ...{ known, urn, words },
    place: create.place ?? (account === accountIn(resource.declared) ? place : { ...place, account }),
    own: create,
    open: create,
    others: othersOf(known, create),
    // With an `id`, the state has a record, which an alias keeps.
    renamed: create.id === undefined ? [] : renamedWays(create.label, aliasesFor(create.urn, urn)),
  });
}

/** The same for a resource of the state. */
export function isUnconfirmed(saved: SavedResource, known: KnownCreates): string {
  const { id, origin, urn, words } = saved;
  const create = known.state?.unconfirmed.find((one) => one.id === id) ?? ofOrigin(origin);
  return refusal(
    `nothing was sent. Its create is still unconfirmed (${id}): ${sentText(create, known.mayRun)}, so the job may exist.`,
    {
      ...{ known, place: origin, urn, words },
      own: saved,
      open: openOf(saved),
      others: othersOf(known, { id }),
    },
  );
}

const ofOrigin = ({ at, firstAt, isAtOrBefore }: Origin): Sent => ({
  ...{ why: isAtOrBefore === true ? "killedRun" : "lostReply", at, isAtOrBefore: isAtOrBefore === true, firstAt },
});

interface Parts {
  readonly own: Described;
  readonly open: OpenCreate;
  readonly words: ConfigWords;
  readonly others: readonly string[];
  readonly renamed?: readonly string[];
  readonly place: Place;
  readonly urn: string | undefined;
  readonly known: KnownCreates;
}

/** Says first how to look, then how to go on, and only then how to remove the engine's trace. */
function refusal(
  what: string,
  {
    own,
    open,
    words,
    others,
    renamed = [],
    place,
    urn,
    known: { state, resendBefore, mayRun, isPreview, until },
  }: Parts,
): string {
  if (isPreview) {
    const look = `The job to look for is ${descriptionOf(own)}.`;
    return [what, seeWhetherItRuns, upWill(false), look, adoptIt({ urn, words }), ...others, ...renamed].join("\n");
  }
  const command = resendCommand(words, state?.savedAt);
  const isStale = resendBefore !== undefined && state?.savedAt !== undefined && resendBefore <= state.savedAt;
  const isPending = state?.unconfirmed.some((create) => create.isPending) === true;
  return [
    what,
    ...(mayRun ? [seeWhetherItRuns] : []),
    ...(isStale
      ? [
          `${resendVariable} is ${isoOf(resendBefore)}, and the state was written at ${isoOf(state.savedAt)}: a run may have used that time already.`,
        ]
      : []),
    ...mayBeOnItsWay(until(open)),
    `First look in the service at ${shownPlace(place)} for ${descriptionOf(own)}.`,
    ...others,
    ...renamed,
    ...(others.length === 0
      ? [adoptIt({ urn, words })]
      : [`  - If jobs exist, give their ids to one run, each by its resource's URN: ${adoptJob({ urn, words })}`]),
    others.length === 0
      ? `  - If the job does not exist, resend its create once: ${command}`
      : `  - When each job that exists has its id, resend the other creates once each: ${command}`,
    ...(others.length === 0 ? [] : [`    To resend only this one: ${command} --target '${urn ?? "<urn>"}'`]),
    ...(isPending
      ? [`When all are resolved, and not before, clear the engine's pending operations: ${clear}${words.stackOptions}`]
      : []),
  ].join("\n");
}

const isoOf = (ms = 0): string => new Date(ms).toISOString();

/** The warning about a create that is resent because the user allows it. */
export const isResent = (label: string, create: UnconfirmedCreate): string =>
  `${label}: its create is unconfirmed: ${sentText(create)}. It is sent now, because ${resendVariable} allows it.`;

/** A run waits, so that the engine writes the state later than the time, and no other run can use it. */
export const waitsUntil = (time: number): string =>
  `This run waits until ${isoOf(time)} has passed: ${resendVariable} is good for one run.`;

export const tooFarAhead = (time: number, now: number): SettingsError =>
  new SettingsError(
    `${resendVariable} is ${isoOf(time)}, more than ten minutes later than now (${isoOf(now)}) and than the state's last write. The run would have to wait until then.`,
    "Use the command that pulumi preview prints for the unconfirmed create.",
  );
