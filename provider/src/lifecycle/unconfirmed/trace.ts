import type { AccountClient } from "../../client/accountClient.js";
import type { CompleteRecord, KnownRecord } from "../../client/jobRecord.js";
import { paramAt, wireParams, type DeclaredJob } from "../../jobs/index.js";
import { undeclaredParams } from "../compare.js";
import type { OwnState, UnconfirmedChange, UnconfirmedCreate } from "../ownState.js";
import { plainInAll, secretMembers, type PropertyChange, type Resource, type SavedResource } from "../resource.js";
import type { SentJob } from "../sentJob.js";
import { notInState } from "../texts/shared.js";

// What killed runs left of a create, in the form of a saved resource.

/** A create that another resource's record or a killed run shows, in the form of a saved resource, to look for its job. */
export const asSaved = (
  { place }: Pick<AccountClient, "place">,
  resource: Resource,
  create: UnconfirmedCreate,
): SavedResource => ({
  ...resource,
  declared: create.sent.completedFrom(resource.declared),
  isPlain: plainInAll(resource, create.sent),
  // Each resource gets a record of its own, so that no two of them can find the same job.
  ...{ id: create.id ?? notInState, jobId: resource.key, job: {} },
  open: create,
  origin: {
    ...{ outcome: "unconfirmed", ...place, at: create.at },
    ...(create.isAtOrBefore && { isAtOrBefore: true }),
    ...{ subject: create.place?.subject, namedId: create.namedId },
  },
});

/** The members that killed runs sent as secrets of a resource: its job may repeat them, and its record does not mark them. */
export const secretsSent = (state: OwnState | undefined, urn: string): readonly string[] =>
  [...(state?.unconfirmed ?? []), ...(state?.unconfirmedChanges ?? [])].flatMap((one) =>
    one.urn === urn ? secretMembers(one.sent.described) : [],
  );

/** The changes of a resource's job that killed runs may have sent. */
export const killedChangesOf = (
  state: OwnState | undefined,
  { urn }: Pick<Resource, "urn">,
): readonly UnconfirmedChange[] => (state?.unconfirmedChanges ?? []).filter((change) => change.urn === urn);

/**
 * The members of `params` that were sent and are declared no more, and that a job still has: an adoption would leave them
 * at the service and, if they were secrets, save them in clear text. Of secrets that are not known, any may be one.
 */
export function droppedParams(record: KnownRecord, sent: SentJob, now: DeclaredJob): PropertyChange[] {
  const declared = wireParams(now);
  const more = Object.keys(undeclaredParams(record, now));
  const dropped = [...sent.params, ...more].filter(
    (member) => !(member in declared) && sent.mayHaveSent(member) && (record.params?.[member] ?? "") !== "",
  );
  return [...new Set(dropped)].map((member) => ({ path: `params.${member}` }));
}

/** A job without the members that a killed run's change sent and that are declared no more: they may be secrets. */
export function withoutDropped(job: CompleteRecord, state: OwnState | undefined, resource: Resource): CompleteRecord {
  const dropped = new Set(
    killedChangesOf(state, resource)
      .flatMap(({ sent }) => droppedParams(job, sent, resource))
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
  const known = wireParams(create);
  const dropped = create.open === undefined ? [] : droppedParams(job, create.open.sent, resource);
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
  const { at, firstAt, isAtOrBefore, from, sign: { flightMs } = {} } = known;
  const times = {
    at,
    firstAt,
    ...(isAtOrBefore && { isAtOrBefore, from }),
    ...(flightMs !== undefined && { flightMs }),
  };
  const newest = { ...origin, ...times };
  const declared = known.sent.completedFrom(saved.declared);
  return { ...saved, declared, isPlain: plainInAll(saved, known.sent), origin: newest, open: known };
}
