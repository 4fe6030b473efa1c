import { declaredMembers, labelOf, type Declaration, type JobKind } from "../jobs/index.js";
import { adopt } from "./all/adopt.js";
import { confirmedToday, refuseOtherSubject, seenBy } from "./all/belongs.js";
import { change } from "./all/change.js";
import { inventoryOf } from "./all/inventory.js";
import { cannotMove, heldByOther } from "./all/messages.js";
import { resolve } from "./all/resolve.js";
import { waysOf } from "./all/unconfirmedMessages.js";
import { placeOf, serviceOf, todayFor, type Context } from "./context.js";
import { createOnce } from "./createOnce.js";
import { Refusal, UnconfirmedError } from "./errors.js";
import * as messages from "./messages.js";
import { jobIdOf, originAt, outputsOf, readSaved, recordKey, type Outputs, type SavedJob } from "./record.js";
import { transition } from "./transitions.js";

/** Carries out what `transition` decides. */
export async function update(
  context: Context,
  kind: JobKind,
  id: string,
  olds: Outputs,
  news: Declaration,
): Promise<Outputs> {
  const saved = readSaved(olds);
  const label = labelOf(kind, news, id);
  if (saved === undefined) throw new Refusal(label, messages.notOurState);
  // A resend that became unconfirmed in this process is not repeated, whoever asks.
  const known = context.ledger.resends.get(id);
  if (known !== undefined) {
    context.sayOnce(known.message);
    return { ...news, ...known.outputs };
  }

  try {
    return await carryOut(context, kind, id, olds, saved, news);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // An `onError` hook makes the engine ask again, and show none of the refusals.
    if (context.refused.has(id)) context.sayOnce(error.message);
    context.refused.add(id);
    throw error;
  }
}

async function carryOut(
  context: Context,
  kind: JobKind,
  id: string,
  olds: Outputs,
  saved: SavedJob,
  news: Declaration,
): Promise<Outputs> {
  const label = labelOf(kind, news, id);
  const declared = declaredMembers(news);
  const today = todayFor(context, declared);
  const all = today.jobOperations === "all";
  const next = transition(kind, saved, news, today);
  switch (next.kind) {
    case "unchanged":
      return outputsOf(news, saved.job, saved.origin);
    case "recordAsDeclared":
      return outputsOf(news, next.job, await confirmedToday(serviceOf(context, declared), next.origin));
    case "recordOnly": {
      const { job, origin, confirmed } = next;
      return outputsOf(news, job, confirmed ? await confirmedToday(serviceOf(context, declared), origin) : origin);
    }
    case "adopt": {
      const service = serviceOf(context, declared);
      const job = await adopt(kind, service, news, next.job.id ?? "", next.origin.at);
      return outputsOf(news, job, seenBy(service, next.origin));
    }
    case "change": {
      const service = serviceOf(context, declared);
      const jobId = jobIdOf(id, saved);
      const other = inventoryOf(service).holders.otherThan(recordKey(jobId, saved.origin.at, kind, olds), jobId);
      if (other !== undefined) throw new Refusal(label, heldByOther(jobId, other.label, label));
      const job = await change(context, kind, service, label, jobId, saved, news);
      return outputsOf(news, job, seenBy(service, next.origin));
    }
    case "refuse":
      throw new Refusal(label, (all ? cannotMove : messages.cannotChange)(saved, next.changes));
    case "decideDuringUp":
      throw new Refusal(label, messages.unknownInCreate);
    case "stayUnconfirmed":
      throw new Refusal(label, messages.staysUnconfirmed(kind, id, saved, next.moves));
    case "resend":
      return resend(context, kind, id, saved, news);
    case "resolve":
      return (await resolve(context, kind, id, olds, saved, news)) ?? resend(context, kind, id, saved, news);
  }
}

async function resend(
  context: Context,
  kind: JobKind,
  id: string,
  saved: SavedJob,
  news: Declaration,
): Promise<Outputs> {
  const label = labelOf(kind, news, id);
  const service = serviceOf(context, declaredMembers(news));
  const place = placeOf(service.account);
  await refuseOtherSubject(service, label, saved.origin);
  const outcome = await createOnce(context, kind, service, news);
  switch (outcome?.outcome) {
    case "created":
      for (const note of outcome.notes) context.say(`${label}: ${note}`);
      return outputsOf(news, outcome.job, seenBy(service, originAt("created", place, outcome.at)));
    case "notCreated":
      // Without properties the record stays as it was, the time of the first create included.
      throw new Refusal(label, messages.resendRefused(kind, id, saved, outcome, waysOf(service)));
    case undefined:
      throw new Refusal(label, messages.staysUnconfirmed(kind, id, saved));
    case "unconfirmed": {
      const origin = seenBy(service, originAt("unconfirmed", place, outcome.at));
      const message = messages.becameUnconfirmed(kind, news, id, origin, outcome.what, waysOf(service));
      context.ledger.resends.set(id, { outputs: outputsOf(news, {}, origin), message });
      throw new UnconfirmedError(message, id, outputsOf(news, {}, origin));
    }
  }
}
