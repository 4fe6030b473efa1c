import type { MonotonicTime } from "../client/clock.js";
import { createJob, preflight } from "../client/requests.js";
import { declaredSource } from "../client/jobMatch.js";
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
import { briefMs, Go } from "../client/send.js";
import { warning } from "../finding.js";
import { membersOf } from "../json.js";
import { differencesFrom, notesOn } from "./compare.js";
import { learnCreated, look } from "./find.js";
import { unsentBy, whyRefused } from "./guards.js";
import type { Inventory } from "./inventory/inventory.js";
import { inFlightUntil, openOfRecord } from "./openCreate.js";
import type { Plan } from "./plan.js";
import { newOrigin, newStandIn, secretsOf, type Origin, type Wanted } from "./resource.js";
import { done, Refusal, type Done, type Recorded } from "./result.js";
import * as texts from "./texts/allMode.js";
import { textsOf } from "./texts/ofMode.js";
import { unknownValue } from "../unknown.js";
import * as messages from "./texts/shared.js";

/**
 * Creates the declared job, once the plan's guards have passed.
 * @throws Refusal if definitely no job was created. If a job may exist, the result is recorded.
 */
export async function create(plan: Plan): Promise<Done | Recorded | Found> {
  const { inventory, resource } = plan;
  const sent = await sendCreate(plan);
  if (sent.kind === "stopped") return sent;
  if (sent.kind === "failed") {
    if (sent.cause === "ambiguous") return recordUnconfirmed(inventory, plan.wanted(), sent);
    throw new Refusal(resource, messages.notCreated(sent));
  }
  const { job } = sent.value.record;
  const origin = newOrigin(inventory.client, "created", sent.value.at);
  return done(job.id, { declared: resource.declared, job, origin });
}

/** `resent`: the origin of the create that was resent. */
export function recordUnconfirmed(
  inventory: Inventory,
  wanted: Wanted,
  { at, what, named }: Unclear,
  resent?: Origin,
): Recorded {
  const { client } = inventory;
  const { resource, request, resendOf } = wanted;
  const { label, declared } = resource;
  // The job's id is unknown, so the engine gets a stand-in.
  const id = resendOf ?? newStandIn();
  const firstAt = resent && (resent.firstAt ?? resent.at);
  const namedId = named?.job.id ?? resent?.namedId;
  const origin: Origin = {
    ...newOrigin(client, "unconfirmed", at),
    ...(firstAt !== undefined && { firstAt }),
    // Until another reply names a job, the one that an earlier create named may be its own.
    ...(namedId !== undefined && { namedId }),
    // The first create is still of an unknown time.
    ...(resent?.isAtOrBefore === true && { isAtOrBefore: true }),
  };
  const differences = named === undefined ? [] : differencesFrom(resource, named.job, resource.isPlain);
  const until = inFlightUntil(openOfRecord(origin), client);
  const ways = [
    ...(named === undefined ? [] : texts.mayBeNamed(resource, named.job.id, differences)),
    ...textsOf(client.account.mode).waysToResolve(resource, origin, until),
  ];
  const message = messages.becameUnconfirmed(label, id, what, ways);
  const result: Recorded = { kind: "recorded", id, state: { declared, job: {}, origin }, message, what };
  inventory.noteRecorded(request, result);
  return result;
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
  const outcome = await client.shared.admit<Found>({
    label: resource.label,
    preflight: () => (canRead ? listFirst(inventory) : preflight(client)),
    send: async () => {
      const admitted = machineClock.monotonic();
      const sent = await sendDecided(plan, admitted.msSince(asked) < briefMs ? undefined : admitted.plus(-briefMs));
      // Note the unconfirmed create before the gate admits the next create, which may be a duplicate.
      if (isUnclear(sent)) inventory.noteUnconfirmed(plan.wanted());
      return sent;
    },
  });
  if (outcome.kind === "done")
    for (const note of notesOn(outcome.value.record, resource))
      inventory.report(warning(resource, `${resource.label}: ${note}`));
  return outcome;
}

const isUnclear = (sent: Outcome<Made> | Found): sent is Unclear =>
  sent.kind === "failed" && sent.cause === "ambiguous";

/** Leaves out the job that an unclear reply names if it is another resource's, or was there before the create. */
function nameFree(inventory: Inventory, sent: Outcome<Made> | Found, listNumber: number): Outcome<Made> | Found {
  if (!isUnclear(sent) || sent.named === undefined) return sent;
  const { id } = sent.named.job;
  const isFree = inventory.jobs.isNewSince(listNumber, id) && inventory.of(id) === undefined;
  return isFree ? sent : { ...sent, named: undefined };
}

/** The outcome if the reply to a create names a job that cannot be new. The create's own job may or may not exist. */
const notNew = ({ at, record, answer }: Made, why: string): Unclear => ({
  ...{ kind: "failed", cause: "ambiguous", isAccepted: true, ends: "request", at },
  ...{ what: messages.isNotNew(answer, record.job.id, why), fix: undefined },
});

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
  const ended = inventory.begin(wanted);
  let listNumber = 0;
  let sentAt = wanted.began;
  const tries: Tries = {
    begin: (at) => {
      note.begin(at);
      sentAt = client.machineClock.monotonic();
    },
    end: note.end,
  };
  const decide = async (since: MonotonicTime | undefined): Promise<Go | NotDone | Found> => {
    if (client.machineClock.monotonic().msSince(wanted.began) > longestWaitMs + briefMs)
      return notSent("request", messages.waitedTooLong);
    const now = plan.anew(since ?? admitted);
    const unlooked = await whyRefused(now, "start", "look");
    if (unlooked !== undefined) return unsentBy(unlooked);
    if ((await now.search())?.kind === "found") return { kind: "stopped", found: now };
    const why = await whyRefused(now, "send");
    if (why !== undefined) return unsentBy(why);
    ({ listNumber } = jobs);
    return new Go(() => now.wanted().body, tries);
  };
  try {
    const sent = await createJob(client, resource, decide, secretsOf(resource), wanted.began);
    let outcome = nameFree(inventory, sent, listNumber);
    if (outcome.kind === "done") {
      const made = outcome.value;
      const { job } = made.record;
      const isListed = canRead && !jobs.isNewSince(listNumber, job.id);
      const why = isListed ? texts.wasListedBefore : inventory.takeCreated(resource, made);
      // The date of a job that this create did not make tells nothing about the clock that dates jobs.
      if (why === undefined) learnCreated(client, job, sentAt);
      else outcome = notNew(made, why);
    }
    if (isUnclear(outcome) && canRead) outcome = await look(inventory, wanted, outcome, { listNumber, sentAt });
    if (outcome.kind === "done" && canRead) inventory.noteWritten(resource, outcome.value.record.job, source);
    // If the create is unconfirmed, its job may exist, so the source stays taken.
    const failed = outcome.kind === "failed" && !isUnclear(outcome) ? outcome : undefined;
    if (failed?.cause === "refused") jobs.noteRefused(source);
    if (failed !== undefined) inventory.releaseSource(source, resource);
    const isKnown = failed !== undefined || outcome.kind === "stopped";
    if (isKnown || (await client.options.isEngineAlive())) note.end();
    return outcome;
  } finally {
    ended();
  }
}

/**
 * Notes each try of a create on this machine. The note stays until the try was certainly not processed, or until the
 * outcome is on its way to a running engine: a create that waits for its next try has no note.
 */
function noteFor({ inventory: { createNotes }, client, resource: { urn, declared, isPlain } }: Plan): Tries {
  if (createNotes === undefined || urn === undefined) return { begin: () => undefined, end: () => undefined };
  return {
    begin: (at) => {
      const { baseUrl, name: account } = client.account;
      const { subject } = client.tokens;
      const sent = { urn, at, sentMs: client.machineClock.wall().ms, baseUrl, account, ...(subject && { subject }) };
      const open = Object.entries(declared).map(([member, value]) => [member, isPlain(member) ? value : unknownValue]);
      createNotes.begin({ ...sent, declared: membersOf(Object.fromEntries(open)) });
    },
    end: () => {
      createNotes.end(urn);
    },
  };
}

/** Lists the jobs before the first create: a job in this list cannot be the one that a create makes. */
async function listFirst({ jobs }: Inventory): Promise<Reason | undefined> {
  const list = await jobs.listWithin(0);
  return list.kind === "done" ? undefined : preflightFailed(list);
}
