import type { AccountClient, Place } from "../../client/accountClient.js";
import { declaredSource } from "../../client/jobMatch.js";
import { warning, type Finding } from "../../finding.js";
import { namesConnection } from "../../jobs/index.js";
import { aliasesFor } from "../aliases.js";
import type { Inventory } from "../inventory/inventory.js";
import { isUnmarked, type OwnState, type StateJob, type UnconfirmedCreate } from "../ownState.js";
import { newStep, stepOf, type Plan, type Searched, type SharedKnowledge, type Step, type StepOf } from "../plan.js";
import {
  sentOf,
  type Described,
  type Origin,
  type PropertyChange,
  type Resource,
  type SavedResource,
} from "../resource.js";
import { makesSecondJob, type SecondJob } from "../texts/createMode.js";
import { isResent } from "../texts/resends.js";
import { otherSubject, transition } from "../transitions.js";
import { openOf, settledForMs, type OpenCreate } from "./openCreate.js";
import { asSaved, killedChangesOf } from "./trace.js";

// Which unconfirmed creates concern a resource, and what they mean for it.

/** All unconfirmed creates that may have made this resource's job, whatever shows them: its own, and those of its source. */
export const unconfirmedFor = (
  state: OwnState | undefined,
  resource: Resource,
  client: AccountClient,
): readonly UnconfirmedCreate[] =>
  (state?.unconfirmed ?? []).filter((create) => create.urn === resource.urn || isAlike(create, resource, client));

/**
 * The same in the order in which they decide about a new resource: those that the state has no record of come first, and
 * of these, those that may be in flight: what is known of the others shows nothing about their jobs.
 */
export function decidingFor(
  state: OwnState | undefined,
  resource: Resource,
  client: AccountClient,
): readonly UnconfirmedCreate[] {
  const all = unconfirmedFor(state, resource, client);
  const rank = (one: UnconfirmedCreate) =>
    one.id !== undefined ? 4 : (settledForMs(one, client) < 0 ? 0 : 2) + (one.urn === resource.urn ? 0 : 1);
  return all.length < 2 ? all : [...all].sort((one, other) => rank(one) - rank(other));
}

/** Those of them that the state has no record of. */
const unrecordedFor = (...asked: Parameters<typeof decidingFor>): readonly UnconfirmedCreate[] =>
  decidingFor(...asked).filter(({ id }) => id === undefined);

/** Those of these that are of the resource itself. */
const ownUnrecorded = (...asked: Parameters<typeof decidingFor>): readonly UnconfirmedCreate[] =>
  unrecordedFor(...asked).filter(({ urn }) => urn === asked[1].urn);

/** The first of {@link unrecordedFor}; undefined if there is none. */
const unconfirmedOf = (...asked: Parameters<typeof decidingFor>): UnconfirmedCreate | undefined =>
  unrecordedFor(...asked)[0];

/** Whether a create has, or may have, the resource's source and its account. */
function isAlike(create: UnconfirmedCreate, resource: Resource, client: AccountClient) {
  const place = placeOf(create, client);
  // A list shows who has a source, whichever subject the service has given to the account's tokens since.
  const isListed = client.account.mode.canRead && declaredSource(resource) !== undefined;
  const isRenamed = !isListed && create.otherStack === undefined && client.isNamed(place);
  // Another provider may be of the same account.
  return (client.mayHave(place) || isRenamed) && create.sent.mayHaveSourceOf(resource);
}

/**
 * Where a create was sent. A pending operation names no address: it is that of its account in today's settings. Another
 * provider's may be of another account.
 */
export const placeOf = ({ place, sent }: UnconfirmedCreate, client: AccountClient): Place =>
  place ?? client.placeNamed(sent.account);

/** Learns the accounts of the unconfirmed creates, each once. */
async function learnAccounts(state: OwnState | undefined, client: AccountClient): Promise<void> {
  const names = new Set((state?.unconfirmed ?? []).map((create) => placeOf(create, client).account));
  for (const name of names) await client.learnBoth(name);
}

const otherToken = { ...otherSubject, was: "that of the token with which it was sent" };

/** How the place in which a create was sent differs from this one: here, its job would not be found. */
export function moveOf(create: UnconfirmedCreate, client: AccountClient): readonly PropertyChange[] {
  if (create.place === undefined && !create.isOfProvider)
    return [{ path: "provider", was: "that of the killed run", now: "another one" }];
  const [sent, now] = [placeOf(create, client), client.place];
  const [was = "none", name = "none"] = [sent.account, now.account];
  return [
    ...(sent.baseUrl === now.baseUrl ? [] : [{ path: "baseUrl", was: sent.baseUrl, now: now.baseUrl }]),
    ...(client.compare(sent) === "same" && !client.hasOtherSubject(sent)
      ? []
      : [{ path: "account", ...(was === name ? otherToken : { was, now: name }) }]),
  ];
}

/** The create that refuses a new resource in a mode that cannot look for its job: the first that the user has not decided about. */
export async function undecidedOf({ resends, client, resource, ownState }: Plan) {
  const state = await ownState();
  await learnAccounts(state, client);
  const all = decidingFor(state, resource, client);
  const [unconfirmed] = await resends.undecided(client, state, resource, all);
  // `up` records a pending create that may be in flight, for which the engine must call `create`.
  const isLeft = pendingOf(state, resource, client) !== undefined;
  return { unconfirmed: isLeft ? undefined : unconfirmed, known: resends.known(state, client) };
}

/** The create that a job is named for, if it was certainly sent for another source than is declared now. */
export async function sentForOther(
  { resource, resends, client, ownState }: Plan,
  { id, saved }: StepOf<"adopt">,
): Promise<Described | undefined> {
  if (resends.jobNamedFor(resource) !== id) return undefined;
  const creates = unconfirmedFor(await ownState(), resource, client).map(({ sent }) => sent);
  const sent = [...(saved === undefined ? [] : [sentOf(saved)]), ...creates];
  return declaredSource(resource) === undefined || sent.some((one) => one.mayHaveSourceOf(resource))
    ? undefined
    : sent[0]?.described;
}

/** The step of a new resource. Has the killed runs' unconfirmed creates whose jobs this run is to look for first. */
export async function newStepIn(inventory: Inventory, resource: Resource, { resends }: SharedKnowledge): Promise<Step> {
  const { client, ownState } = inventory;
  const step = newStep(resource.declared, resends.jobNamedFor(resource));
  if (step.kind !== "new" || !client.account.mode.canRead) return step;
  const state = await ownState();
  await learnAccounts(state, client);
  const wanted = declaredSource(resource);
  const all = decidingFor(state, resource, client).filter((create) => {
    const { id, sent, isOfProvider } = create;
    if (create.urn === resource.urn) return true;
    // Without a source nothing else asks, and a record tells where it was sent, whichever provider sent it.
    if (wanted === undefined) return isOfProvider || id !== undefined;
    // If the source or the account is unknown, only the jobs at the service show it.
    return isOfProvider && id === undefined && sent.source !== undefined;
  });
  const creates = await resends.undecided(client, state, resource, all);
  for (const create of creates) {
    const placeChanges = moveOf(create, client);
    if (placeChanges.length > 0)
      return stepOf({ kind: "stayUnconfirmed", placeChanges }, asSaved(client, resource, create));
  }
  // Of several new resources, the first one looks for the job; the others then find the source taken. Only the resource
  // itself looks for a create of its own with another source than today's.
  const killed = creates.filter((create) => {
    const source = create.sent.source ?? wanted;
    const isFirst = source === undefined || inventory.isFirstFor(source, resource);
    return isFirst || (create.urn === resource.urn && source !== wanted);
  });
  return { ...step, killed };
}

/** The step of a saved resource. */
export async function savedStepIn(
  { client, ownState }: Inventory,
  saved: SavedResource,
  resource: Resource,
  { resends }: SharedKnowledge,
): Promise<Step> {
  const next = transition(saved, resource, await resends.currentSettings(client, saved));
  const state = next.kind === "resolve" ? await ownState() : undefined;
  return stepOf(next, saved, ownUnrecorded(state, resource, client));
}

/**
 * Warnings about a create that passes its guards, in a mode that cannot read jobs: the create is resent, or another
 * resource of the stack has a job for the same source. The engine's error about a rename does not mention that job.
 */
export async function findingsOnCreate(plan: Plan): Promise<readonly Finding[]> {
  const { step, client, resource, ownState, resends } = plan;
  if (step.kind !== "new" || client.account.mode.canRead) return [];
  const state = await ownState();
  const unconfirmed = unconfirmedOf(state, resource, client);
  // If a resend is not allowed yet, `up` records the create instead.
  if (unconfirmed !== undefined && !(await resends.areAllowed(client, state, unconfirmed, resource))) return [];
  if (unconfirmed !== undefined) return [warning(resource, isResent(resource.label, unconfirmed))];
  const second = await secondJobOf(state, resource, client);
  return second === undefined ? [] : [warning(resource, makesSecondJob(resource.label, second))];
}

/** The same for a resource that is to be refused: a new one whose killed create `up` records is not. */
export async function secondJobFor({ ownState, resource, client, step }: Plan): Promise<SecondJob | undefined> {
  const state = await ownState();
  const isRecorded = step.kind === "new" && pendingOf(state, resource, client) !== undefined;
  return isRecorded ? undefined : secondJobOf(state, resource, client);
}

/**
 * Another resource of the stack that has a job for a new resource's source, or may have one: perhaps it was renamed. A job
 * without a source is compared by all of its `params`.
 */
async function secondJobOf(
  state: OwnState | undefined,
  resource: Resource,
  client: AccountClient,
): Promise<SecondJob | undefined> {
  const source = declaredSource(resource);
  if (resource.urn === undefined) return undefined;
  // A killed run's change may have given the job this source.
  const isMoved = (job: StateJob) => killedChangesOf(state, job).some(({ sent }) => sent.mayHaveSourceOf(resource));
  // Of a job whose params are one secret, nothing speaks for the same source.
  const ofSource = (state?.jobs ?? []).filter(
    (job) =>
      job.urn !== resource.urn &&
      job.jobId !== undefined &&
      !job.sent.hidesParams &&
      (job.sent.mayHaveSourceOf(resource, source) || isMoved(job)),
  );
  for (const { origin } of ofSource) await client.learnBoth(origin.account);
  const holders = ofSource.filter(({ origin }) => client.mayHaveUnderAnySubject(origin));
  // A replaced job may be made again.
  const isOfAccount = ({ isOfProvider, origin }: StateJob) =>
    (isOfProvider || namesConnection(resource.kind)) && (client.compare(origin) === "same" || client.isNamed(origin));
  const certain = holders.find(
    (job) => source !== undefined && job.sent.source === source && isUnmarked(job) && isOfAccount(job),
  );
  const { label, jobId, urn } = certain ?? holders[0] ?? {};
  if (label === undefined || jobId === undefined || urn === undefined) return undefined;
  return { holder: label, urn, isKnown: certain !== undefined, id: jobId, aliases: aliasesFor(urn, resource.urn) };
}

/**
 * A create that only the engine's pending operation shows, and that may still be in flight: nothing that stays shows
 * since when, so `up` records it, and later runs count from that.
 */
function pendingOf(
  state: OwnState | undefined,
  resource: Resource,
  client: AccountClient,
): UnconfirmedCreate | undefined {
  const create = unconfirmedOf(state, resource, client);
  return create !== undefined && isPendingHere(create, resource, client) && settledForMs(create, client) < 0
    ? create
    : undefined;
}

/**
 * A create that only the engine's pending operation shows, and that was sent to the place in which its job would be found.
 * What another resource's create was sent with must be known: the record has it.
 */
const isPendingHere = (create: UnconfirmedCreate, { urn }: Resource, client: AccountClient): boolean =>
  create.trace === "pending" &&
  (create.urn === urn || create.sent.source !== undefined) &&
  moveOf(create, client).length === 0;

/** A pending create that a new resource, or a resend, waits for: `up` records it. */
export interface Waited {
  readonly create: UnconfirmedCreate;
  readonly state: OwnState | undefined;
  /** What the list shows of it, in mode `all`. */
  readonly searched: Searched | undefined;
}

/** Other resources' creates of a resource's job that only the engine's pending operations show, in the order of the state. */
const pendingBeside = (...[state, resource, client]: Parameters<typeof unconfirmedFor>): readonly UnconfirmedCreate[] =>
  unconfirmedFor(state, resource, client).filter(({ trace, urn }) => trace === "pending" && urn !== resource.urn);

/** The other resources whose pending creates a record made now waits for, too: see {@link Origin.beside}. */
export const besideIn = (...asked: Parameters<typeof unconfirmedFor>): readonly string[] => [
  ...new Set(pendingBeside(...asked).map(({ urn }) => urn)),
];

/** Whether a record waits for this pending create, too. */
const isCovered = ({ urn }: UnconfirmedCreate, { isAtOrBefore, beside }: Origin): boolean =>
  beside?.includes(urn) ?? isAtOrBefore === true;

/** The pending create that the plan's resource waits for. */
export async function waitedFor(plan: Plan): Promise<Waited | undefined> {
  const { step, client, resource, resends } = plan;
  if (step.kind !== "new" && step.kind !== "resend") return undefined;
  const state = await plan.ownState();
  if (step.kind === "resend") {
    const isWaited = (one: UnconfirmedCreate) =>
      !isCovered(one, step.saved.origin) && isPendingHere(one, resource, client) && settledForMs(one, client) < 0;
    const create = pendingBeside(state, resource, client).find(isWaited);
    return create && { create, state, searched: undefined };
  }
  const { canRead } = client.account.mode;
  // What `check` has left to `create`, which the engine may call much later, is recorded even if it is over by then.
  const create = canRead
    ? pendingOf(state, resource, client)
    : unrecordedFor(state, resource, client).find((one) => isPendingHere(one, resource, client));
  const isAllowed = !canRead && (await resends.areAllowed(client, state, create, resource));
  if (create === undefined || isAllowed || (canRead && !step.killed.includes(create))) return undefined;
  const searched = canRead ? await plan.search() : undefined;
  return searched?.found.kind === "failed" ? undefined : { create, state, searched };
}

/**
 * The resources whose notes end when this one has its job, as the user says: their creates made none or, of the only one, the
 * job that is named for this resource. Asked before a request is sent, because the user's time may have to pass.
 */
export async function settledBy({ client, resource, resends, ownState, step }: Plan): Promise<string[]> {
  const state = await ownState();
  const creates = unconfirmedFor(state, resource, client).filter(({ otherStack }) => otherStack === undefined);
  if (step.kind === "adopt") {
    const isNamed = resends.jobNamedFor(resource) === step.id;
    return isNamed && creates.length === 1 ? creates.map(({ urn }) => urn) : [];
  }
  const settled: string[] = [];
  for (const create of creates) if (await resends.areAllowed(client, state, create, create)) settled.push(create.urn);
  return settled;
}

interface Repeated {
  readonly create: OpenCreate;
  /**
   * Whose create it is, unless the step repeats the resource's own. `isPending`: only the engine's pending operation shows
   * it. `isAlone`: the engine would clear no other create with it.
   */
  readonly other: { readonly label: string; readonly isPending: boolean; readonly isAlone: boolean } | undefined;
}

/**
 * The unconfirmed create whose job a step would make again, or meet: of several, the one that may be in flight for the
 * longest. A resource may have been renamed since.
 */
export async function repeatedBy(
  { ownState, resource, client }: Plan,
  step: Extract<Step, { readonly kind: "new" | "resend" | "change" }>,
): Promise<(Repeated & { readonly savedAt: number }) | undefined> {
  if (step.kind === "change" && declaredSource(resource) === declaredSource(step.saved)) return undefined;
  const state = await ownState();
  const pending = (state?.unconfirmed ?? []).filter((create) => create.isPending);
  const all = unconfirmedFor(state, resource, client).flatMap((create): Repeated[] => {
    const isOwn = create.urn === resource.urn;
    // The engine keeps a pending operation even if the create was recorded since, by whichever resource waited for it, and it
    // has no time that stays: it would keep a recorded create from being resent for ever, and a job from moving again.
    const isMove = step.kind === "change" && create.sent.source !== declaredSource(resource);
    const isRecorded = step.kind === "resend" && (isOwn || isCovered(create, step.saved.origin));
    const isOutdated = isRecorded || (isOwn && isMove);
    if (create.isPending && create.trace === "pending" && isOutdated) return [];
    const other = { label: create.label, isPending: create.trace === "pending", isAlone: pending.length < 2 };
    return [{ create, other: isOwn && step.kind !== "change" ? undefined : other }];
  });
  if (step.kind === "resend") all.push({ create: openOf(step.saved), other: undefined });
  const [longest] = all.sort((one, other) => settledForMs(one.create, client) - settledForMs(other.create, client));
  return longest && { ...longest, savedAt: state?.savedAt ?? 0 };
}
