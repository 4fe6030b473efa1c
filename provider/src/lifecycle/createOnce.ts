import { createJob, preflight, tooLarge, type ClaimNew } from "../client/createJob.js";
import type { CreateSteps } from "../client/gate.js";
import type { CreateOutcome } from "../client/operation.js";
import type { Service } from "../client/service.js";
import { declarationKey, labelOf, requestBody, type Declaration, type JobKind } from "../jobs/index.js";
import { seenBy } from "./all/belongs.js";
import { checkedCreate } from "./all/checkedCreate.js";
import { inventoryOf } from "./all/inventory.js";
import { hasJobAlready } from "./messages.js";
import { creationKey, placeOf, type Context } from "./context.js";
import { originAt, recordKey } from "./record.js";

/**
 * Sends one create when the gate lets it. Undefined where a duplicate of it became unconfirmed before that: then it is not
 * sent, and the ledger has the record.
 */
export async function createOnce(
  context: Context,
  kind: JobKind,
  service: Service,
  inputs: Declaration,
): Promise<CreateOutcome | undefined> {
  const { requestEncoding, jobOperations } = service.account;
  const place = placeOf(service.account);
  const { creates } = context.ledger;
  const key = creationKey(kind, inputs, place);
  const body = requestBody(kind, inputs, requestEncoding);
  const problem = context.unrecordable ?? tooLarge(body);
  if (problem !== undefined) return { outcome: "notCreated", cause: "declined", status: undefined, ...problem };
  const declarer = { label: labelOf(kind, inputs), declaration: declarationKey(kind, inputs) };
  const claim: ClaimNew = (id, at) => {
    const taken = inventoryOf(service).holders.take(id, {
      ...declarer,
      record: recordKey(id, at, kind, inputs),
      since: "created",
    });
    return taken.other && hasJobAlready(taken.other.label, declarer.label);
  };
  const send = (mayClaim: ClaimNew) => createJob(service, body, mayClaim);
  const steps: CreateSteps =
    jobOperations === "all"
      ? checkedCreate(kind, service, inputs, { declarer, claim, send })
      : { preflight: () => preflight(service), send: () => send(claim) };
  return service.gate.admit({
    preflight: () => steps.preflight(),
    // Looked at after the wait for the gate: a duplicate may have been sent meanwhile.
    isWanted: () => !creates.has(key),
    send: async () => {
      const outcome = await steps.send();
      // Before the gate lets the next one through.
      if (outcome.outcome === "unconfirmed") {
        const origin = seenBy(service, originAt("unconfirmed", place, outcome.at));
        // A duplicate that was in flight too has its record already, or will ask for it.
        const { records } = creates.get(key) ?? { records: new Map<string, never>() };
        creates.set(key, { origin, records });
      }
      return outcome;
    },
  });
}
