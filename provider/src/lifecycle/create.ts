import { declarationKey, declaredMembers, labelOf, type Declaration, type JobKind } from "../jobs/index.js";
import { adopt } from "./all/adopt.js";
import { seenBy } from "./all/belongs.js";
import { hasUnknown } from "../unknown.js";
import { waysOf } from "./all/unconfirmedMessages.js";
import { creationKey, placeOf, serviceOf, type Context, type UnconfirmedCreate } from "./context.js";
import { createOnce } from "./createOnce.js";
import { Refusal, UnconfirmedError } from "./errors.js";
import * as messages from "./messages.js";
import { newStandIn, originAt, outputsOf, type Origin, type Outputs } from "./record.js";

export interface Created {
  readonly id: string;
  readonly outputs: Outputs;
}

/**
 * Creates the declared job, or adopts the one that `existingJobId` names, which sends nothing.
 * @throws Refusal where surely no job was created. @throws UnconfirmedError where it may exist: the engine records it.
 */
export async function create(context: Context, kind: JobKind, inputs: Declaration): Promise<Created> {
  const declared = declaredMembers(inputs);
  const label = labelOf(kind, inputs);
  if (hasUnknown(declared)) throw new Refusal(label, messages.unknownInCreate);
  const service = serviceOf(context, declared);
  const place = placeOf(service.account);
  const { existingJobId } = declared;
  if (typeof existingJobId === "string") {
    const origin = originAt("adopted", place);
    const job = await adopt(kind, service, inputs, existingJobId, origin.at);
    return { id: existingJobId, outputs: outputsOf(inputs, job, seenBy(service, origin)) };
  }

  const key = creationKey(kind, inputs, place);
  const record = (known: UnconfirmedCreate, origin: Origin, what: string): UnconfirmedError => {
    const id = newStandIn();
    const message = messages.becameUnconfirmed(kind, inputs, id, origin, what, waysOf(service));
    const outputs = outputsOf(inputs, {}, origin);
    known.records.set(declarationKey(kind, inputs), { id, message, outputs });
    return new UnconfirmedError(message, id, outputs);
  };

  const own = context.ledger.creates.get(key)?.records.get(declarationKey(kind, inputs));
  if (own !== undefined) {
    // Thrown again and again (an `onError` hook), the record would be lost: it is returned, and the class fails the
    // program. The engine shows none of the thrown messages then.
    context.sayOnce(own.message);
    return { id: own.id, outputs: own.outputs };
  }
  // A replacement that nobody asked for by name, or a duplicate: an unconfirmed create is not sent a second time.
  const unconfirmed = context.unconfirmed.get(key);
  if (unconfirmed !== undefined) throw new Refusal(label, messages.duplicateOfEarlier(unconfirmed));

  const outcome = await createOnce(context, kind, service, inputs);
  switch (outcome?.outcome) {
    case "created":
      for (const note of outcome.notes) context.say(`${label}: ${note}`);
      return {
        id: outcome.job.id,
        outputs: outputsOf(inputs, outcome.job, seenBy(service, originAt("created", place, outcome.at))),
      };
    case "notCreated":
      throw new Refusal(label, messages.notCreated(outcome));
    case "unconfirmed":
    case undefined: {
      const known = context.ledger.creates.get(key) ?? { origin: originAt("unconfirmed", place), records: new Map() };
      const origin = outcome === undefined ? known.origin : seenBy(service, originAt("unconfirmed", place, outcome.at));
      throw record(known, origin, outcome?.what ?? messages.duplicateNotSent);
    }
  }
}
