import { createJob } from "../client/jobs.js";
import { createBody, declaredMembers, type Declaration, type JobKind } from "../jobs/index.js";
import { serviceOf, todayFor, type Context } from "./context.js";
import { InDoubt, Refusal } from "./errors.js";
import * as messages from "./messages.js";
import { originAt, outputsOf, readSaved, type Outputs, type SavedJob } from "./record.js";
import { transition } from "./transitions.js";

/**
 * Carries out what the table of transitions says. Only one row sends anything: a job in doubt that the user has looked
 * for in vain.
 */
export async function update(
  context: Context,
  kind: JobKind,
  id: string,
  olds: Outputs,
  news: Declaration,
): Promise<Outputs> {
  const saved = readSaved(olds);
  if (saved === undefined) throw new Refusal(messages.notOurState);
  // A resend that became doubtful in this process is not repeated, whoever asks.
  const known = context.ledger.get(id);
  if (known !== undefined) return { ...news, ...known.outputs };

  const declared = declaredMembers(news);
  const next = transition(kind, saved, news, todayFor(context, declared));
  switch (next.kind) {
    case "unchanged":
      return outputsOf(news, saved.job, saved.origin);
    case "nowAsDeclared":
    case "saveOnly":
    case "adopt":
      return outputsOf(news, next.job, next.origin);
    case "refuse":
      throw new Refusal(messages.cannotChange(saved, next.changes));
    case "judgeLater":
      throw new Refusal(messages.unknownInCreate);
    case "stayInDoubt": {
      const text = `Nothing was sent: ${messages.staysInDoubt(kind, id, saved, next.moves)}`;
      // An `onError` hook makes the engine ask again, and show none of the refusals.
      if (context.refused.has(id)) context.sayOnce(text);
      context.refused.add(id);
      throw new Refusal(text);
    }
    case "resend":
      return resend(context, kind, id, saved, news);
  }
}

async function resend(
  context: Context,
  kind: JobKind,
  id: string,
  saved: SavedJob,
  news: Declaration,
): Promise<Outputs> {
  const declared = declaredMembers(news);
  const service = serviceOf(context, declared);
  const { baseUrl, name: account, requestEncoding } = service.account;
  const outcome = await createJob(service, createBody(kind, news, requestEncoding));
  switch (outcome.outcome) {
    case "created":
      for (const note of outcome.notes) context.say(note);
      return outputsOf(news, outcome.job, originAt("created", { baseUrl, account }, outcome.at));
    case "notCreated":
      // Without properties the record stays as it was, the time of the first create included.
      throw new Refusal(messages.resendRefused(kind, id, saved, outcome.message));
    case "unconfirmed": {
      const origin = originAt("unconfirmed", { baseUrl, account }, outcome.at);
      context.ledger.set(id, { id, outputs: { job: {}, origin } });
      throw new InDoubt(
        messages.becameDoubtful(kind, declared, id, origin, outcome.what),
        id,
        outputsOf(news, {}, origin),
      );
    }
  }
}
