import { isoOf } from "../client/clock.js";
import { createJob } from "../client/jobCalls.js";
import { declaredSource } from "../client/jobMatch.js";
import { preflight } from "../client/lists.js";
import { preflightFailed, type CreateOutcome, type Explanation, type Unconfirmed } from "../client/outcomes.js";
import { warning } from "../finding.js";
import { notesOn } from "./compare.js";
import { look } from "./find.js";
import { unsentBy, verdictOn } from "./guards.js";
import { notNew, type Inventory } from "./inventory/inventory.js";
import type { Plan } from "./plan.js";
import { newOrigin, newStandIn, secretsOf, type Origin, type Resource, type Wanted } from "./resource.js";
import { done, Refusal, type Done, type Recorded } from "./result.js";
import * as texts from "./texts/allMode.js";
import { textsOf } from "./texts/ofMode.js";
import * as messages from "./texts/shared.js";

/**
 * Creates the declared job, once the plan's guards have passed.
 * @throws Refusal if definitely no job was created. If a job may exist, the result is recorded.
 */
export async function create(plan: Plan): Promise<Done | Recorded> {
  const { inventory, resource } = plan;
  const sent = await sendCreate(plan);
  if (sent.outcome === "notCreated") throw new Refusal(resource, messages.notCreated(sent));
  if (sent.outcome === "unconfirmed") return recordUnconfirmed(inventory, plan.wanted(), sent);
  const { job } = sent.record;
  const origin = newOrigin(inventory.client, "created", sent.at);
  return done(job.id, { declared: resource.declared, job, origin });
}

/** `resent`: the origin of the create that was resent. */
export function recordUnconfirmed(
  inventory: Inventory,
  wanted: Wanted,
  { at, what }: Unconfirmed,
  resent?: Origin,
): Recorded {
  const { client } = inventory;
  const { resource, request, resendOf } = wanted;
  const { label, declared } = resource;
  // The job's id is unknown, so the engine gets a stand-in.
  const id = resendOf ?? newStandIn();
  const firstAt = resent && (resent.firstAt ?? resent.at);
  const origin = { ...newOrigin(client, "unconfirmed", at), ...(firstAt !== undefined && { firstAt }) };
  const ways = textsOf(client.account.mode).waysToResolve(resource, origin);
  const message = messages.becameUnconfirmed(label, id, what, ways);
  const result: Recorded = { kind: "recorded", id, state: { declared, job: {}, origin }, message, what };
  inventory.noteRecorded(request, result);
  return result;
}

/** Sends one create when the create gate allows it: the create of a new resource, or a resend. */
export async function sendCreate(plan: Plan): Promise<CreateOutcome> {
  const { inventory, client, resource } = plan;
  const wanted = plan.wanted();
  const { canRead } = client.account.mode;
  const outcome = await client.shared.admit({
    label: resource.label,
    preflight: () => (canRead ? listFirst(inventory) : preflight(client)),
    send: async () => {
      // Ask the guards after waiting for the gate. From here on, only the request is awaited.
      const verdict = await verdictOn(plan, "send");
      if (verdict !== undefined) return unsentBy(verdict);
      const sent = await noted(inventory, resource, async (begin) => {
        const body = () => {
          begin();
          return wanted.body;
        };
        const send = () => createJob(client, resource, body, secretsOf(resource));
        return canRead ? sendAndLook(inventory, wanted, send) : inventory.takeCreated(resource, await send());
      });
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

/** Notes each attempt of a create on this machine. The note stays until the outcome is on its way to a running engine. */
async function noted(
  { createNotes, client }: Inventory,
  { urn }: Resource,
  send: (begin: () => void) => Promise<CreateOutcome>,
): Promise<CreateOutcome> {
  if (createNotes === undefined || urn === undefined) return send(() => undefined);
  const outcome = await send(() => {
    createNotes.begin(urn, isoOf(client.machineClock.wall()));
  });
  if (outcome.outcome === "notCreated" || (await client.options.isEngineAlive())) createNotes.end(urn);
  return outcome;
}

/** Lists the jobs before the first create: a job in this list cannot be the one that a create makes. */
async function listFirst({ jobs }: Inventory): Promise<Explanation | undefined> {
  const list = await jobs.listWithin(0);
  return list.kind === "listed" ? undefined : preflightFailed(list);
}

/**
 * Sends a create whose source the resource has taken. If the create is unconfirmed, looks for its job in the list of
 * jobs. Never repeats the request itself.
 */
async function sendAndLook(
  inventory: Inventory,
  wanted: Wanted,
  send: () => Promise<CreateOutcome>,
): Promise<CreateOutcome> {
  const { resource } = wanted;
  const { jobs } = inventory;
  const source = declaredSource(resource);
  const ended = inventory.begin(wanted);
  try {
    const { listNumber } = jobs;
    let outcome = await send();
    if (outcome.outcome === "created")
      outcome = jobs.isNewSince(listNumber, outcome.record.job.id)
        ? inventory.takeCreated(resource, outcome)
        : notNew(outcome, texts.wasListedBefore);
    if (outcome.outcome === "unconfirmed") outcome = await look(inventory, wanted, outcome, listNumber);
    if (outcome.outcome === "created") inventory.noteWritten(resource, outcome.record.job, source);
    // If the create is unconfirmed, its job may exist, so the source stays taken.
    if (outcome.outcome === "notCreated") inventory.releaseSource(source);
    return outcome;
  } finally {
    ended();
  }
}
