import { normalizedText } from "../jobs/index.js";
import { hasUnknown } from "../unknown.js";
import { inventoryOf } from "./inventory/inventory.js";
import { askedAgain, creationKey, placeOf, serviceOf, type Context } from "./context.js";
import { adopt } from "./adopt.js";
import * as messages from "./messages.js";
import { operationsOf } from "./operationsOf.js";
import { newStandIn, type Origin, type Resource } from "./resource.js";
import { Refusal, refusing, type Done, type Recorded, type Result } from "./result.js";
import { sendCreate } from "./sendCreate.js";

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
  const place = placeOf(service.account);
  const { existingJobId } = declared;
  if (typeof existingJobId === "string")
    return { kind: "done", id: existingJobId, state: await adopt(service, resource, existingJobId) };

  const key = creationKey(resource, place);
  const own = context.ledger.creates.get(key)?.records.get(resource.key);
  if (own !== undefined) return askedAgain(context, own);
  // A replacement that nobody asked for by name, or a duplicate: an unconfirmed create is not sent a second time.
  const elsewhere = inventoryOf(service).underWay.unconfirmedElsewhere(normalizedText(resource.kind, declared));
  const unconfirmed = context.unconfirmed.get(key) ?? elsewhere?.label;
  if (unconfirmed !== undefined) throw new Refusal(resource, messages.duplicateOfEarlier(unconfirmed));

  const sent = await sendCreate(context, service, resource);
  switch (sent.kind) {
    case "created":
      return { kind: "done", id: sent.job.id, state: { declared, job: sent.job, origin: sent.origin } };
    case "notCreated":
      throw new Refusal(resource, messages.notCreated(sent.outcome));
    case "unconfirmed":
    case "unsent": {
      const { origin, kind } = sent;
      const what = kind === "unsent" ? messages.duplicateNotSent : sent.what;
      const ways = operationsOf(service.account).waysToResolve(resource, origin);
      return record(context, key, resource, origin, [what, ways]);
    }
  }
}

/** The create got no clear answer: from here on the engine knows the resource by a stand-in for the job's id. */
function record(
  context: Context,
  key: string,
  resource: Resource,
  origin: Origin,
  [what, ways]: readonly [string, readonly string[]],
): Recorded {
  const id = newStandIn();
  const message = messages.becameUnconfirmed(resource.label, id, what, ways);
  const recorded: Recorded = { kind: "recorded", id, state: { declared: resource.declared, job: {}, origin }, message };
  context.ledger.creates.get(key)?.records.set(resource.key, recorded);
  return recorded;
}
