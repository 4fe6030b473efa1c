import { isoOf } from "../client/clock.js";
import { maxRequestBytes } from "../client/http.js";
import { createJob } from "../client/jobCalls.js";
import { declaredSource } from "../client/jobMatch.js";
import { preflight } from "../client/lists.js";
import {
  nothingSent,
  preflightFailed,
  type CreateOutcome,
  type Explanation,
  type Unconfirmed,
} from "../client/operation.js";
import type { Service } from "../client/service.js";
import { says } from "../client/statuses.js";
import { warning } from "../finding.js";
import { bodyOf, normalizedText } from "../jobs/index.js";
import { canonicalJson, type JsonObject } from "../json.js";
import { adopt } from "./adopt.js";
import { notesOn } from "./compare.js";
import { look } from "./find.js";
import { notNew, type Inventory } from "./inventory/inventory.js";
import { newOrigin, newStandIn, secretsOf, type Origin, type Resource, type Wanted } from "./resource.js";
import { done, Refusal, type Done, type Recorded } from "./result.js";
import { takeSource } from "./source.js";
import * as texts from "./texts/allMode.js";
import { textsOf } from "./texts/ofMode.js";
import * as messages from "./texts/shared.js";

/**
 * Creates the declared job, or adopts the job that `findMatching` returns.
 * @throws Refusal if definitely no job was created. If a job may exist, the result is recorded.
 */
export async function create(
  inventory: Inventory,
  resource: Resource,
  findMatching: () => Promise<string | undefined>,
): Promise<Done | Recorded> {
  const wanted = wantedOf(inventory.service, resource);
  const before = inventory.recordedBefore(wanted.request, resource);
  if (before !== undefined) return before;
  const other = inventory.unconfirmedBefore(wanted);
  if (other !== undefined) throw new Refusal(resource, messages.notCreated(duplicateOf(other)));
  const id = await findMatching();
  if (id !== undefined) return done(id, await adopt(inventory, resource, id));
  const sent = await sendCreate(inventory, wanted);
  if (sent.outcome === "notCreated") throw new Refusal(resource, messages.notCreated(sent));
  if (sent.outcome === "unconfirmed") return recordUnconfirmed(inventory, wanted, sent);
  const { job } = sent.record;
  const origin = newOrigin(inventory.service, "created", sent.at);
  return done(job.id, { declared: resource.declared, job, origin });
}

/** `resendOf`: the id of the resource, if it already has an unconfirmed create. */
export function wantedOf({ account, machineClock }: Service, resource: Resource, resendOf?: string): Wanted {
  const text = normalizedText(resource);
  const body = bodyOf(resource, account.requestEncoding);
  const request = resendOf ?? canonicalJson([resource.key, account.name, text]);
  return { resource, text, body, request, began: machineClock.monotonic(), resendOf };
}

/** Declines a create because the identical create of another resource, or of the one it replaces, is unconfirmed. */
const duplicateOf = (other: string) => nothingSent("declined", messages.duplicate(other));

/** `resent`: the origin of the create that was resent. */
export function recordUnconfirmed(
  inventory: Inventory,
  wanted: Wanted,
  { at, what }: Unconfirmed,
  resent?: Origin,
): Recorded {
  const { service } = inventory;
  const { resource, request, resendOf } = wanted;
  const { label, declared } = resource;
  // The job's id is not known, so the engine gets a stand-in for the id.
  const id = resendOf ?? newStandIn();
  const firstAt = resent && (resent.firstAt ?? resent.at);
  const origin = { ...newOrigin(service, "unconfirmed", at), ...(firstAt !== undefined && { firstAt }) };
  const ways = textsOf(service.account.mode).waysToResolve(resource, origin);
  const message = messages.becameUnconfirmed(label, id, what, ways);
  const result: Recorded = { kind: "recorded", id, state: { declared, job: {}, origin }, message };
  inventory.noteRecorded(request, result);
  return result;
}

/** Why a body is too large to be sent; undefined if it is not. Other creates can still be sent. */
export const tooLarge = (body: JsonObject): Explanation | undefined =>
  Buffer.byteLength(JSON.stringify(body)) > maxRequestBytes
    ? { what: `The request would be larger than ${maxRequestBytes / 1024 / 1024} MiB.`, fix: "Make params smaller." }
    : undefined;

/** Sends one create when the create gate allows it: the create of a new resource, or a resend. */
export async function sendCreate(inventory: Inventory, wanted: Wanted): Promise<CreateOutcome> {
  const { service } = inventory;
  const { resource, body } = wanted;
  const { canRead } = service.account.mode;
  const problem = tooLarge(body);
  if (problem !== undefined) return nothingSent("declined", problem);
  const outcome = await service.shared.admit({
    label: resource.label,
    preflight: () => (canRead ? listFirst(inventory) : preflight(service)),
    send: async () => {
      // Checked here, after the wait for the gate: an identical create may have become unconfirmed during the wait.
      const other = inventory.unconfirmedDuplicateOf(wanted);
      if (other !== undefined) return duplicateOf(other);
      const send = () => noted(inventory, resource, () => createJob(service, resource, body, secretsOf(resource)));
      const sent = canRead
        ? await betweenLooks(inventory, wanted, send)
        : inventory.takeCreated(resource, await send());
      // Note the unconfirmed create before the gate admits the next create, which may be a duplicate.
      if (sent.outcome === "unconfirmed") inventory.noteUnconfirmed(wanted);
      return sent;
    },
  });
  if (outcome.outcome === "created")
    for (const note of notesOn(outcome.record, resource))
      inventory.report(warning(resource, `${resource.label}: ${note}`));
  return outcome;
}

/** Notes a create on this machine until its outcome is on its way to a living engine. */
async function noted(
  { openCreates, service }: Inventory,
  { urn }: Resource,
  send: () => Promise<CreateOutcome>,
): Promise<CreateOutcome> {
  if (openCreates === undefined || urn === undefined) return send();
  openCreates.begin(urn, isoOf(service.machineClock.wall()));
  const outcome = await send();
  if (outcome.outcome === "notCreated" || (await service.options.isEngineAlive())) openCreates.end(urn);
  return outcome;
}

/** Lists the jobs before the first create: a job in this list cannot be the job that a create makes. */
async function listFirst({ jobs }: Inventory): Promise<Explanation | undefined> {
  const list = await jobs.listWithin(0);
  return list.kind === "listed" ? undefined : preflightFailed(list);
}

/**
 * Checks the list of jobs, then sends a create. If a job already has the source, the create is not sent. If the create
 * is unconfirmed, the list is searched for the new job. The request itself is never repeated.
 */
async function betweenLooks(
  inventory: Inventory,
  wanted: Wanted,
  send: () => Promise<CreateOutcome>,
): Promise<CreateOutcome> {
  const { resource, began, resendOf } = wanted;
  const { jobs, service } = inventory;
  const source = declaredSource(resource);
  const why = await takeSource(inventory, resource, source, { began, ownId: resendOf });
  if (why !== undefined) return nothingSent(why.kind === "failed" ? "notSent" : "declined", why);
  const ended = inventory.begin(wanted);
  try {
    const { listNumber } = jobs;
    const at = isoOf(service.shared.clock.now());
    let outcome = await send();
    if (outcome.outcome === "created")
      outcome = jobs.isNewSince(listNumber, outcome.record.job.id)
        ? inventory.takeCreated(resource, outcome)
        : notNew(outcome, texts.wasListedBefore);
    if (outcome.outcome === "unconfirmed") outcome = await look(inventory, wanted, outcome, listNumber);
    else if (outcome.outcome === "notCreated" && says(outcome.status, "exists")) {
      const found = await look(inventory, wanted, { outcome: "unconfirmed", at, what: outcome.what }, listNumber);
      if (found.outcome === "created") outcome = found;
    }
    if (outcome.outcome === "created") inventory.noteWritten(resource, outcome.record.job, source);
    // If the create is unconfirmed, its job may exist, so the source stays taken.
    if (outcome.outcome === "notCreated") inventory.releaseSource(source);
    return outcome;
  } finally {
    ended();
  }
}
