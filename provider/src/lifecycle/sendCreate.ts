import { createJob, tooLarge, type CreateReply } from "../client/createJob.js";
import type { CompleteRecord, ReadRecord } from "../client/jobRecord.js";
import type { CreateOutcome, NotCreated } from "../client/operation.js";
import type { Service } from "../client/service.js";
import { normalizedText, requestBody } from "../jobs/index.js";
import { inventoryOf } from "./inventory/inventory.js";
import { creationKey, placeOf, type Context } from "./context.js";
import { differencesFromSent, type SentJob } from "./compare.js";
import { hasJobAlready, idsOf, notesOn } from "./messages.js";
import type { ClaimNew } from "./operations.js";
import { operationsOf } from "./operationsOf.js";
import { originAt, recordKey, secretsOf, type Origin, type Resource } from "./resource.js";
import type { Recorded } from "./result.js";

/** What one create comes to. */
export type SentCreate =
  | { readonly kind: "created"; readonly job: CompleteRecord; readonly origin: Origin }
  | { readonly kind: "notCreated"; readonly outcome: NotCreated }
  | { readonly kind: "unconfirmed"; readonly origin: Origin; readonly what: string }
  /** A duplicate of it became unconfirmed before its turn: the origin is that of the duplicate. */
  | { readonly kind: "unsent"; readonly origin: Origin };

/** Sends one create when the gate lets it: of a new resource, or again of one whose create is unconfirmed. */
export async function sendCreate(context: Context, service: Service, resource: Resource): Promise<SentCreate> {
  const { creates } = context.ledger;
  const { account, clock } = service;
  const now = () => new Date(clock.now()).toISOString();
  const operations = operationsOf(account);
  const place = placeOf(account);
  const key = creationKey(resource, place);
  const { underWay } = inventoryOf(service);
  const declaration = normalizedText(resource.kind, resource.declared);
  const body = requestBody(resource.kind, resource.declared, account.requestEncoding);
  const problem = context.unrecordable ?? tooLarge(body);
  if (problem !== undefined)
    return { kind: "notCreated", outcome: { outcome: "notCreated", cause: "declined", status: undefined, ...problem } };
  const steps = operations.createSteps(service, resource, claimFor(service, resource), async (claim) => {
    const sent = await createJob(service, body, secretsOf(resource));
    return sent.outcome === "answered" ? outcomeOf(sent, resource, claim) : sent;
  });
  const outcome = await service.gate.admit({
    preflight: () => steps.preflight(),
    // Looked at after the wait for the gate: a duplicate may have been sent meanwhile.
    isWanted: () => !creates.has(key) && underWay.unconfirmedElsewhere(declaration) === undefined,
    send: async () => {
      const sent = await steps.send();
      // Before the gate lets the next one through. A duplicate that was in flight too has its record already, or will ask for it.
      if (sent.outcome === "unconfirmed") {
        const origin = operations.seenBy(service, originAt("unconfirmed", place, sent.at));
        const { records } = creates.get(key) ?? { records: new Map<string, Recorded>() };
        creates.set(key, { origin, records });
        underWay.noteUnconfirmedCreate(declaration, { label: resource.label, declaration: resource.key });
      }
      return sent;
    },
  });
  switch (outcome?.outcome) {
    case "created":
      for (const note of outcome.notes) context.say(`${resource.label}: ${note}`);
      return {
        kind: "created",
        job: outcome.job,
        origin: operations.seenBy(service, originAt("created", place, outcome.at)),
      };
    case "notCreated":
      return { kind: "notCreated", outcome };
    case "unconfirmed":
      return {
        kind: "unconfirmed",
        origin: operations.seenBy(service, originAt("unconfirmed", place, outcome.at)),
        what: outcome.what,
      };
    case undefined:
      // Another process sent it: by the clock by which a later run asks how old it is.
      return { kind: "unsent", origin: creates.get(key)?.origin ?? originAt("unconfirmed", place, now()) };
  }
}

/** What a 2xx reply says: created where exactly one of its jobs can be the declared one, and the resource may have it. */
export function outcomeOf(reply: CreateReply, declared: SentJob, claim: ClaimNew = () => undefined): CreateOutcome {
  const { at, jobs, answer, noJob } = reply;
  const isAsSent = ({ job }: ReadRecord) => differencesFromSent(declared, job).length === 0;
  const [found, ...more] = jobs.length > 1 ? jobs.filter(isAsSent) : jobs;
  if (found === undefined || more.length > 0) {
    const several = `${answer} with several jobs (${idsOf(jobs)}), and not exactly one of them is as declared.`;
    return { outcome: "unconfirmed", at, what: jobs.length > 1 ? several : noJob };
  }
  const why = claim(found.job.id, at);
  return why === undefined
    ? { outcome: "created", at, job: found.job, notes: notesOn(found, declared) }
    : { outcome: "unconfirmed", at, what: `${answer} with job ${idsOf([found])}, which is not the new one: ${why}.` };
}

/** Gives the job that an answer names to the resource: one id never serves two resources of a run. */
const claimFor =
  (service: Service, { key, label }: Resource): ClaimNew =>
  (id, at) => {
    const record = recordKey(id, at);
    const other = inventoryOf(service).holders.take(id, { label, declaration: key, record, since: "created" });
    return other && hasJobAlready(other.label, label);
  };
