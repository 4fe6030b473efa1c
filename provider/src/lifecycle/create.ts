import { randomUUID } from "node:crypto";
import { createJob } from "../client/jobs.js";
import { createBody, declaredMembers, type Declaration, type JobKind } from "../jobs/index.js";
import { hasUnknown } from "../unknown.js";
import { creationKey, serviceOf, type Context } from "./context.js";
import { InDoubt, Refusal } from "./errors.js";
import * as messages from "./messages.js";
import { originAt, outputsOf, type Outputs } from "./record.js";

export interface Created {
  readonly id: string;
  readonly outputs: Outputs;
}

/**
 * Makes the declared job, or takes over the one that `existingJobId` names, which sends nothing.
 * @throws Refusal where surely nothing was made. @throws InDoubt where the job may exist: the engine records it.
 */
export async function create(context: Context, kind: JobKind, inputs: Declaration): Promise<Created> {
  const declared = declaredMembers(inputs);
  const service = serviceOf(context, declared);
  const place = { baseUrl: service.account.baseUrl, account: service.account.name };
  const { existingJobId } = declared;
  if (hasUnknown(declared)) throw new Refusal(messages.unknownInCreate);
  if (typeof existingJobId === "string") {
    return { id: existingJobId, outputs: outputsOf(inputs, { id: existingJobId }, originAt("adopted", place)) };
  }

  const body = createBody(kind, inputs, service.account.requestEncoding);
  const key = creationKey(kind, inputs, place);
  const known = context.ledger.get(key);
  // Thrown again and again (an `onError` hook), the record would be lost: it is returned, and the class fails the program.
  if (known !== undefined) return { id: known.id, outputs: { ...inputs, ...known.outputs } };

  // A replacement that nobody asked for by name (a transform's replaceOnChanges), or a twin: a doubt is not sent again.
  const doubt = context.doubts.get(key);
  if (doubt !== undefined) throw new Refusal(messages.sameAsDoubt(doubt));

  const outcome = await createJob(service, body);
  switch (outcome.outcome) {
    case "created":
      for (const note of outcome.notes) context.say(note);
      return { id: outcome.job.id, outputs: outputsOf(inputs, outcome.job, originAt("created", place, outcome.at)) };
    case "notCreated":
      throw new Refusal(outcome.message);
    case "unconfirmed": {
      const id = `unconfirmed-${randomUUID()}`;
      const origin = originAt("unconfirmed", place, outcome.at);
      context.ledger.set(key, { id, outputs: { job: {}, origin } });
      const message = messages.becameDoubtful(kind, declared, id, origin, outcome.what);
      throw new InDoubt(message, id, outputsOf(inputs, {}, origin));
    }
  }
}
