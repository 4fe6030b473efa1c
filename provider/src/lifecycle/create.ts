import { maxRequestBytes } from "../client/http.js";
import { createJob } from "../client/jobCalls.js";
import { nothingSent, type CreateOutcome, type Explanation, type Unconfirmed } from "../client/operation.js";
import type { Service } from "../client/service.js";
import { utcNow } from "../dateTime.js";
import type { JsonObject } from "../json.js";
import { hasUnknown } from "../unknown.js";
import { notesOn } from "./compare.js";
import { askedAgain, type Context } from "./context.js";
import type { Inventory } from "./inventory/inventory.js";
import * as messages from "./messages.js";
import { modes } from "./modeOf.js";
import {
  newOrigin,
  newStandIn,
  secretsOf,
  type DeclaredRecord,
  type Described,
  type JobState,
  type Resource,
  type Undeclared,
  type Wanted,
} from "./resource.js";
import { Refusal, type Done, type Recorded } from "./result.js";

/**
 * Creates the declared job, or adopts the job that `existingJobId` names.
 * @throws Refusal if definitely no job was created. If a job may exist, the result is recorded.
 */
export async function create(context: Context, resource: Resource): Promise<Done | Recorded> {
  const { declared } = resource;
  if (hasUnknown(declared)) throw new Refusal(resource, messages.unknownInCreate);
  const service = context.services.declaredBy(declared);
  const { existingJobId } = declared;
  if (typeof existingJobId === "string")
    return {
      kind: "done",
      id: existingJobId,
      state: await adopt(context.inventories.of(service), resource, existingJobId),
    };

  const inventory = context.inventories.of(service);
  const wanted = inventory.wanted(resource);
  const known = context.recorded.get(wanted.request);
  if (known !== undefined) return askedAgain(context, known);
  const other = inventory.unconfirmedBefore(wanted);
  if (other !== undefined) throw new Refusal(resource, messages.notCreated(duplicateOf(other)));
  const sent = await sendCreate(context, inventory, wanted);
  if (sent.outcome === "notCreated") throw new Refusal(resource, messages.notCreated(sent));
  if (sent.outcome === "unconfirmed") return recordUnconfirmed(context, service, wanted, sent);
  const origin = newOrigin(service, "created", sent.at);
  return { kind: "done", id: sent.job.id, state: { declared, job: sent.job, origin } };
}

/** Declines a create because the identical create of another resource, or of the one it replaces, is unconfirmed. */
const duplicateOf = (other: string) => nothingSent("declined", messages.duplicate(other));

export function recordUnconfirmed(context: Context, service: Service, wanted: Wanted, { at, what }: Unconfirmed) {
  const { resource, request, resendOf } = wanted;
  const { label, declared } = resource;
  // The job's id is not known, so the engine gets a stand-in for the id.
  const id = resendOf ?? newStandIn();
  const origin = newOrigin(service, "unconfirmed", at);
  const ways = modes[service.account.mode.name].says.waysToResolve(resource, origin);
  const message = messages.becameUnconfirmed(label, id, what, ways);
  const result: Recorded = { kind: "recorded", id, state: { declared, job: {}, origin }, message };
  context.recorded.set(request, { result, repeats: 0 });
  return result;
}

/** Why a body is too large to be sent; undefined if it is not. Other creates can still be sent. */
export const tooLarge = (body: JsonObject): Explanation | undefined =>
  Buffer.byteLength(JSON.stringify(body)) > maxRequestBytes
    ? { what: `The request would be larger than ${maxRequestBytes / 1024 / 1024} MiB.`, fix: "Make params smaller." }
    : undefined;

/** Sends one create, now. */
export async function post(service: Service, job: Described, body: JsonObject): Promise<CreateOutcome> {
  const sent = await createJob(service, job, body, secretsOf(job));
  if (sent.outcome !== "made") return sent;
  const { at, record, answer } = sent;
  return { outcome: "created", at, job: record.job, answer, notes: notesOn(record, job) };
}

/** Sends one create when the create gate allows it: the create of a new resource, or a resend. */
export async function sendCreate(context: Context, inventory: Inventory, wanted: Wanted): Promise<CreateOutcome> {
  const { service } = inventory;
  const { resource, body } = wanted;
  const mode = modes[service.account.mode.name];
  const problem = context.unrecordable ?? tooLarge(body);
  if (problem !== undefined) return nothingSent("declined", problem);
  const outcome = await service.gate.admit({
    label: resource.label,
    preflight: () => mode.preflight(inventory),
    send: async () => {
      // Checked here, after the wait for the gate: an identical create may have become unconfirmed during the wait.
      const other = inventory.unconfirmedDuplicateOf(wanted);
      if (other !== undefined) return duplicateOf(other);
      const sent = await mode.aroundCreate(inventory, wanted, () => post(service, resource, body));
      // Note the unconfirmed create before the gate admits the next create, which may be a duplicate.
      if (sent.outcome === "unconfirmed") inventory.noteUnconfirmed(wanted);
      return sent;
    },
  });
  if (outcome.outcome === "created") for (const note of outcome.notes) context.say(`${resource.label}: ${note}`);
  return outcome;
}

/**
 * Gives a job to the resource that adopts the job. If jobs can be read, reads the job first.
 * @throws Refusal if another resource has the job, or if the job is not the declared job.
 */
export const adopt = (inventory: Inventory, resource: Resource, id: string): Promise<JobState> =>
  adoptAs(inventory, resource, id, async () => ({
    declared: resource.declared,
    job: await modes[inventory.service.account.mode.name].adopt(inventory, resource, id),
  }));

/** Like {@link adopt}, but `read` returns the job and its declaration. */
export async function adoptAs(
  inventory: Inventory,
  resource: Undeclared,
  id: string,
  read: () => Promise<DeclaredRecord>,
): Promise<JobState> {
  const at = utcNow();
  const found = await inventory.adopt(id, resource, at, read);
  return { ...found, origin: newOrigin(inventory.service, "adopted", at) };
}
