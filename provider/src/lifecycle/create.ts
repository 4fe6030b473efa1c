import type { AccountClient } from "../client/accountClient.js";
import { serviceTimeOf, type MonotonicTime } from "../client/clock.js";
import { declaredSource } from "../client/jobMatch.js";
import type { CompleteRecord, KnownRecord } from "../client/jobRecord.js";
import {
  notSent,
  preflightFailed,
  type Made,
  type NotDone,
  type Outcome,
  type Reason,
  type Stopped,
  type Tries,
  type Unclear,
} from "../client/outcomes.js";
import { longestWaitMs } from "../client/rateLimit.js";
import { createJob, preflight } from "../client/requests.js";
import { briefMs, Go, inFlightMs } from "../client/send.js";
import { instantInUtc } from "../dateTime.js";
import { warning } from "../finding.js";
import { membersOf } from "../json.js";
import { unknownValue } from "../unknown.js";
import { notesOn } from "./compare.js";
import { look, type Sent } from "./find.js";
import { whyRefused } from "./guards.js";
import type { Inventory } from "./inventory/inventory.js";
import type { StateJob } from "./ownState.js";
import type { Plan } from "./plan.js";
import { unsentBy } from "./refusals.js";
import { newOrigin, secretsOf, seenBy } from "./resource.js";
import { Refusal, type Done, type Recorded } from "./result.js";
import { claimOf } from "./source.js";
import * as texts from "./texts/allMode.js";
import * as messages from "./texts/shared.js";
import { openOf } from "./unconfirmed/openCreate.js";
import { recordUnconfirmed } from "./unconfirmed/record.js";

/**
 * Creates the declared job, once the plan's guards have passed.
 * @throws Refusal if definitely no job was created. If a job may exist, the result is recorded.
 */
export async function create(plan: Plan): Promise<Done | Recorded | Found> {
  const { inventory, resource } = plan;
  const sent = await sendCreate(plan);
  if (sent.kind === "stopped") return sent;
  if (sent.kind === "failed") {
    if (sent.cause === "ambiguous") return recordUnconfirmed(plan, sent);
    throw new Refusal(resource, messages.notCreated(sent));
  }
  const { job } = sent.value.record;
  const origin = newOrigin(inventory.client, "created", sent.value.at);
  return { kind: "done", id: job.id, state: { declared: resource.declared, job, origin } };
}

/** A create that is not needed: the plan of its last decision has found the job of an earlier one. */
interface Found extends Stopped {
  readonly found: Plan;
}

/** Sends one create when the create gate allows it: the create of a new resource, or a resend. */
export async function sendCreate(plan: Plan): Promise<Outcome<Made> | Found> {
  const { inventory, client, resource } = plan;
  const { machineClock } = client;
  const { canRead } = client.account.mode;
  const asked = machineClock.monotonic();
  const outcome = await client.shared.gate.admit<Found>({
    label: resource.label,
    preflight: () => (canRead ? listFirst(inventory) : preflight(client)),
    send: () => {
      const admitted = machineClock.monotonic();
      return sendDecided(plan, admitted.msSince(asked) < briefMs ? undefined : admitted.plus(-briefMs));
    },
  });
  if (outcome.kind === "done")
    for (const note of notesOn(outcome.value.record, resource))
      inventory.report(warning(resource, `${resource.label}: ${note}`));
  return outcome;
}

const isUnclear = (sent: Outcome<Made> | Found): sent is Unclear =>
  sent.kind === "failed" && sent.cause === "ambiguous";

/** The outcome if the reply to a create names a job that cannot be new. The create's own job may or may not exist. */
const notNew = ({ at, record, answer }: Made, why: string): Unclear => ({
  ...{ kind: "failed", cause: "ambiguous", isAccepted: true, ends: "request", at },
  ...{ what: messages.isNotNew(answer, record.job.id, why), fix: undefined },
});

/** A job that a create of this run made shows how far the clock that dates jobs differs from that of the replies. */
function learnCreated({ shared }: AccountClient, { created = "" }: KnownRecord, sentAt: MonotonicTime): void {
  const time = serviceTimeOf(created);
  if (time !== undefined) shared.clock.learnCreated(time, sentAt);
}

/**
 * Sends a create that the gate has admitted. The whole table of guards is asked again when the request may leave: before
 * each try, and after each wait. If its outcome is unclear and jobs can be listed, looks for its job. Never repeats the
 * request itself. `admitted`: the end of its wait for the gate.
 */
async function sendDecided(plan: Plan, admitted: MonotonicTime | undefined): Promise<Outcome<Made> | Found> {
  const { inventory, client, resource } = plan;
  const { jobs } = inventory;
  const { canRead } = client.account.mode;
  const wanted = plan.wanted();
  const source = declaredSource(resource);
  const note = noteFor(plan);
  const claim = claimOf(inventory, resource, source, wanted.text);
  let listNumber = 0;
  let sentAt = wanted.began;
  const tries: Tries = {
    begin: (at) => {
      note.begin(at);
      sentAt = client.machineClock.monotonic();
      claim.begin(at);
    },
    end: () => {
      note.end();
      claim.end();
    },
  };
  let asked = wanted.began;
  const isFree = () => inventory.unconfirmedDuplicateOf(wanted) === undefined && (!canRead || claim.isFree(asked));
  const decide = async (since: MonotonicTime | undefined): Promise<Go | NotDone | Found> => {
    asked = client.machineClock.monotonic();
    if (asked.msSince(wanted.began) > longestWaitMs + briefMs) return notSent("request", messages.waitedTooLong);
    const now = plan.anew(since ?? admitted);
    const unlooked = await whyRefused(now, "start", "look");
    if (unlooked !== undefined) return unsentBy(unlooked);
    if ((await now.search())?.found.kind === "found") return { kind: "stopped", found: now };
    const why = await whyRefused(now, "send");
    if (why !== undefined) return unsentBy(why);
    ({ listNumber } = jobs);
    return new Go(() => now.wanted().body, tries, isFree);
  };
  // What the state has is not new, whichever resource has it.
  const ownerOf = await inventory.owners();
  const sent = await createJob(client, resource, decide, secretsOf(resource), wanted.began);
  let outcome = ofNewJob(plan, sent, { listNumber, sentAt }, ownerOf);
  if (isUnclear(outcome) && canRead) outcome = await look(inventory, wanted, outcome, { listNumber, sentAt });
  if (outcome.kind === "done") inventory.noteWritten(resource, outcome.value.record.job, source);
  // Before the gate admits the next create, which may be a duplicate.
  if (isUnclear(outcome)) inventory.noteUnconfirmed(resource, wanted.text);
  else inventory.endClaim(resource);
  if (outcome.kind === "failed" && outcome.cause === "refused") jobs.noteRefused(source);
  // The engine may repeat a create that became unconfirmed, and records it only then.
  if (isUnclear(outcome)) note.keep();
  else if (outcome.kind !== "done") note.end();
  // The engine need not wait for this: what it records is later than the note.
  else
    void client.options.isEngineAlive().then((isAlive) => {
      if (isAlive) note.end();
    });
  return outcome;
}

/**
 * The outcome of a create by its reply, which may name a job that is not new. Gives a new one to the resource.
 * `ownerOf`: the resource that had a job in the stack's state before the request left.
 */
function ofNewJob(
  plan: Plan,
  sent: Outcome<Made> | Found,
  { listNumber, sentAt }: Sent,
  ownerOf: (id: string) => StateJob | undefined,
): Outcome<Made> | Found {
  const { inventory, client, resource } = plan;
  const whyNotNew = ({ id, created }: CompleteRecord, at: string): string | undefined => {
    if (!inventory.jobs.isNewSince(listNumber, id)) return texts.wasListedBefore;
    const owner = ownerOf(id);
    return whyOlder(plan, created, at) ?? (owner && messages.hasJobAlready(owner.label, resource.label));
  };
  if (isUnclear(sent) && sent.named !== undefined) {
    const { job } = sent.named;
    return inventory.of(job.id) === undefined && whyNotNew(job, sent.at) === undefined
      ? sent
      : { ...sent, named: undefined };
  }
  if (sent.kind !== "done") return sent;
  const { record, at } = sent.value;
  const why = whyNotNew(record.job, at) ?? inventory.takeCreated(resource, sent.value);
  // The date of a job that this create did not make tells nothing about the clock that dates jobs.
  if (why === undefined) learnCreated(client, record.job, sentAt);
  return why === undefined ? sent : notNew(sent.value, why);
}

/** No two clocks are so far apart, in whatever time zone the service dates its jobs. */
const surelyOlderMs = 24 * 3_600_000;

/** Why a job is not the create's, by its date: the service may answer with the job that has the source already. */
function whyOlder({ step }: Plan, created = "", at: string): string | undefined {
  const from = step.kind === "resend" ? (openOf(step.saved).from ?? step.saved.origin.at) : at;
  const [made = NaN, began = NaN] = [instantInUtc(created), instantInUtc(from)];
  return began - made > surelyOlderMs ? messages.isOlder(created) : undefined;
}

/**
 * Notes each try of a create on this machine. The note stays until the try was certainly not processed, or until the
 * outcome is on its way to a running engine: a create that waits for its next try has no note. Of an unconfirmed create, it
 * may stay until the process ends.
 */
function noteFor({ inventory: { memory }, client, resource: { urn, declared, isPlain } }: Plan): Tries & {
  readonly keep: () => void;
} {
  const nothing = () => undefined;
  const { createNotes } = memory;
  if (createNotes === undefined || urn === undefined) return { begin: nothing, end: nothing, keep: nothing };
  return {
    begin: (at) => {
      const open = Object.entries(declared).map(([member, value]) => [member, isPlain(member) ? value : unknownValue]);
      const times = { at, sentMs: client.machineClock.wall().ms, flightMs: inFlightMs(client) };
      createNotes.begin(
        seenBy(client, { urn, ...times, declared: membersOf(Object.fromEntries(open)), ...client.place }),
      );
    },
    end: () => {
      createNotes.end(urn);
    },
    keep: () => {
      createNotes.keep(urn);
    },
  };
}

/** Lists the jobs before the first create: a job in this list cannot be the one that a create makes. */
async function listFirst({ jobs }: Inventory): Promise<Reason | undefined> {
  const list = await jobs.listWithin(0);
  return list.kind === "done" ? undefined : preflightFailed(list);
}
