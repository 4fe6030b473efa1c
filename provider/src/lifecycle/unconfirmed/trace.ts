import type { AccountClient } from "../../client/accountClient.js";
import type { CompleteRecord, KnownRecord } from "../../client/jobRecord.js";
import { paramAt, wireParams } from "../../jobs/index.js";
import { isObject, membersOf } from "../../json.js";
import { unknownValue } from "../../unknown.js";
import { droppedParams } from "../compare.js";
import type { OwnState, UnconfirmedChange, UnconfirmedCreate } from "../ownState.js";
import { plainInAll, secretMembers, type PropertyChange, type Resource, type SavedResource } from "../resource.js";
import { notInState } from "../texts/shared.js";

// What killed runs left of a create, in the form of a saved resource.

/** A create that another resource's record or a killed run shows, in the form of a saved resource, to look for its job. */
export const asSaved = (
  { place }: Pick<AccountClient, "place">,
  resource: Resource,
  create: UnconfirmedCreate,
): SavedResource => ({
  ...resource,
  declared: membersOf(withValuesOf(resource.declared, create.declared)),
  isPlain: plainInAll(resource, create),
  // Each resource gets a record of its own, so that no two of them can find the same job.
  ...{ id: create.id ?? notInState, jobId: resource.key, job: {} },
  open: create,
  origin: {
    ...{ outcome: "unconfirmed", ...place, at: create.at },
    ...(create.isAtOrBefore && { isAtOrBefore: true }),
    subject: create.place?.subject,
  },
});

/**
 * What was sent, with known values in place of the secrets, which the state keeps encrypted: they may have changed since.
 * A secret without a known value is left out.
 */
function withValuesOf(known: unknown, sent: unknown): unknown {
  if (sent === unknownValue) return known;
  if (Array.isArray(sent))
    return sent.map((inner, index) => withValuesOf(Array.isArray(known) ? known[index] : [], inner));
  if (!isObject(sent)) return sent;
  const values = membersOf(known);
  const members = Object.entries(sent).map(([member, inner]) => [member, withValuesOf(values[member], inner)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The members that killed runs sent as secrets of a resource: its job may repeat them, and its record does not mark them. */
export const secretsSent = (state: OwnState | undefined, urn: string): readonly string[] =>
  [...(state?.unconfirmed ?? []), ...(state?.unconfirmedChanges ?? [])].flatMap((sent) =>
    sent.urn === urn ? secretMembers(sent) : [],
  );

/** The changes of a resource's job that killed runs may have sent. */
export const killedChangesOf = (
  state: OwnState | undefined,
  { urn }: Pick<Resource, "urn">,
): readonly UnconfirmedChange[] => (state?.unconfirmedChanges ?? []).filter((change) => change.urn === urn);

/** A job without the members that a killed run's change sent and that are declared no more: they may be secrets. */
export function withoutDropped(job: CompleteRecord, state: OwnState | undefined, resource: Resource): CompleteRecord {
  const dropped = new Set(
    killedChangesOf(state, resource)
      .flatMap((sent) => droppedParams(job, sent, resource))
      .map(({ path }) => path),
  );
  if (dropped.size === 0) return job;
  const params = Object.entries(job.params ?? {}).filter(([member]) => !dropped.has(`params.${member}`));
  return { ...job, params: Object.fromEntries(params) };
}

/**
 * The members that a create was sent with, that are declared no more, and that its job still has: their values are secrets
 * that this run does not know, so that it would save them in clear text.
 */
export function droppedSecrets(job: KnownRecord, create: SavedResource, resource: Resource): PropertyChange[] {
  const { kind, open } = create;
  const known = wireParams(create);
  const dropped = open === undefined ? [] : droppedParams(job, { kind, declared: open.declared }, resource);
  return dropped.filter(({ path }) => !((paramAt(path) ?? "") in known));
}

/**
 * A saved resource, with the latest time at which its unconfirmed create may have been sent. A run that was killed in a
 * resend could not save that time.
 */
export function withNewestSend(state: OwnState | undefined, saved: SavedResource): SavedResource {
  const { id, origin } = saved;
  if (origin.outcome !== "unconfirmed") return saved;
  const known = state?.unconfirmed.find((create) => create.id === id && create.trace !== "record");
  if (known === undefined) return saved;
  const { at, firstAt, isAtOrBefore, sign: { flightMs } = {} } = known;
  const times = { at, firstAt, ...(isAtOrBefore && { isAtOrBefore }), ...(flightMs !== undefined && { flightMs }) };
  const newest = { ...origin, ...times };
  const declared = membersOf(withValuesOf(saved.declared, known.declared));
  return { ...saved, declared, isPlain: plainInAll(saved, known), origin: newest, open: known };
}
