import type { Duplicate } from "../client/gate.js";
import { createJob, tooLarge, type CreateReply } from "../client/jobCalls.js";
import type { ReadRecord } from "../client/jobRecord.js";
import { nothingSent, type CreateOutcome } from "../client/operation.js";
import type { Service } from "../client/service.js";
import { hasUnknown } from "../unknown.js";
import { differencesFromSent, type SentJob } from "./compare.js";
import { askedAgain, serviceOf, wantedBy, type Context, type Wanted } from "./context.js";
import { recordKey } from "./inventory/holders.js";
import { inventoryOf } from "./inventory/inventory.js";
import * as messages from "./messages.js";
import { modeOf } from "./modeOf.js";
import {
  newStandIn,
  originAt,
  placeOf,
  secretsOf,
  seenBy,
  type JobState,
  type Origin,
  type Resource,
} from "./resource.js";
import { Refusal, refusing, type Done, type Recorded, type Result } from "./result.js";

/**
 * Creates the declared job, or adopts the one that `existingJobId` names. Refused where surely no job was created;
 * recorded where it may exist.
 */
export const create = (context: Context, resource: Resource): Promise<Result> =>
  refusing(resource, () => createOrAdopt(context, resource));

async function createOrAdopt(context: Context, resource: Resource): Promise<Done | Recorded> {
  const { declared } = resource;
  if (hasUnknown(declared)) throw new Refusal(resource, messages.unknownInCreate);
  const service = serviceOf(context, resource);
  const { existingJobId } = declared;
  if (typeof existingJobId === "string")
    return { kind: "done", id: existingJobId, state: await adopt(service, resource, existingJobId) };

  const wanted = wantedBy(resource, service);
  const inventory = inventoryOf(service);
  const own = inventory.learned(wanted)?.records.get(resource.key);
  if (own !== undefined) return askedAgain(context, own);
  // A replacement that nobody asked for by name, or a duplicate: an unconfirmed create is not sent a second time.
  const unconfirmed = inventory.unconfirmedBefore(wanted.text);
  if (unconfirmed !== undefined) throw new Refusal(resource, messages.duplicateOfEarlier(unconfirmed));

  const sent = await sendCreate(context, service, wanted);
  if (sent.outcome === "notCreated") throw new Refusal(resource, messages.notCreated(sent));
  const origin = originOf(service, wanted, sent);
  if (sent.outcome === "created") return { kind: "done", id: sent.job.id, state: { declared, job: sent.job, origin } };
  // From here on the engine knows the resource by a stand-in for the job's id.
  const what = sent.outcome === "duplicate" ? messages.duplicateNotSent : sent.what;
  const recorded = recordUnconfirmed(service, resource, newStandIn(), origin, what);
  inventory.learned(wanted)?.records.set(resource.key, recorded);
  return recorded;
}

/** What is saved of a create that got no clear answer. */
export function recordUnconfirmed(
  { account }: Service,
  resource: Resource,
  id: string,
  origin: Origin,
  what: string,
): Recorded {
  const { label, declared } = resource;
  const message = messages.becameUnconfirmed(label, id, what, modeOf(account).says.waysToResolve(resource, origin));
  return { kind: "recorded", id, state: { declared, job: {}, origin }, message };
}

/** Sends one create when the gate lets it: of a new resource, or again of one whose create is unconfirmed. */
export async function sendCreate(
  context: Context,
  service: Service,
  wanted: Wanted,
): Promise<CreateOutcome | Duplicate> {
  const { resource, text, body } = wanted;
  const mode = modeOf(service.account);
  const problem = context.unrecordable ?? tooLarge(body);
  if (problem !== undefined) return nothingSent("declined", problem);
  const post = async (): Promise<CreateOutcome> => {
    const sent = await createJob(service, body, secretsOf(resource));
    return sent.outcome === "answered" ? outcomeOf(sent, resource) : sent;
  };
  const outcome = await service.gate.admit({
    label: resource.label,
    preflight: () => mode.preflight(service),
    // Checked after the wait for the gate: a duplicate may have been sent in the meantime.
    isDuplicate: () => !inventoryOf(service).isFree(text),
    send: async () => {
      const sent = await mode.aroundCreate(service, wanted, post);
      // Before the gate lets the next one through.
      if (sent.outcome === "unconfirmed") inventoryOf(service).learn(wanted, originOf(service, wanted, sent));
      return sent;
    },
  });
  if (outcome.outcome === "created") for (const note of outcome.notes) context.say(`${resource.label}: ${note}`);
  return outcome;
}

/** Where a job that was created, or may have been, came from. That of a duplicate is the origin of the one that was sent. */
export function originOf(
  service: Service,
  wanted: Wanted,
  sent: Exclude<CreateOutcome, { outcome: "notCreated" }> | Duplicate,
): Origin {
  if (sent.outcome === "duplicate") {
    // Another process sent it. A later run compares this time with its own clock.
    const now = new Date(service.clock.now()).toISOString();
    return inventoryOf(service).learned(wanted)?.origin ?? originAt("unconfirmed", wanted.place, now);
  }
  return seenBy(service, originAt(sent.outcome, wanted.place, sent.at));
}

/** What a 2xx reply says: created if exactly one of its jobs can be the declared one. */
export function outcomeOf({ at, jobs, answer, noJob }: CreateReply, declared: SentJob): CreateOutcome {
  const isAsSent = ({ job }: ReadRecord) => differencesFromSent(declared, job).length === 0;
  const [found, ...more] = jobs.length > 1 ? jobs.filter(isAsSent) : jobs;
  if (found !== undefined && more.length === 0)
    return { outcome: "created", at, job: found.job, answer, notes: messages.notesOn(found, declared) };
  const what = jobs.length > 1 ? messages.severalCreated(answer, jobs) : noJob();
  return { outcome: "unconfirmed", at, what };
}

/**
 * Gives a job to the resource that adopts it, after it was read where jobs can be read.
 * @throws Refusal if another resource has it, or where it is not the declared one.
 */
export const adopt = (service: Service, resource: Resource, id: string): Promise<JobState> =>
  adoptAs(service, resource, id, async () => ({
    declared: resource.declared,
    job: await modeOf(service.account).adopt(service, resource, id),
  }));

/** The same, where what is declared follows from the job. */
export async function adoptAs(
  service: Service,
  resource: Pick<Resource, "label" | "key">,
  id: string,
  read: () => Promise<Pick<JobState, "declared" | "job">>,
): Promise<JobState> {
  const origin = originAt("adopted", placeOf(service.account));
  const record = recordKey(id, origin.at);
  // Before the request: of two resources that adopt one job the second is refused.
  const taken = inventoryOf(service).holders.takeToAdopt(id, resource, record);
  if (taken.other !== undefined)
    throw new Refusal(resource, messages.heldByOther(id, taken.other.label, resource.label));
  try {
    const found = await read();
    return { ...found, origin: seenBy(service, origin) };
  } catch (error) {
    taken.giveBack();
    throw error;
  }
}
