import type { DeclaredJob } from "../jobs/index.js";
import { sentences } from "../sentences.js";
import type { ReadRecord } from "./jobRecord.js";
import { calls, requestOf } from "./calls.js";
import { notSent, says, type Answered, type CallFailure, type CallRequest, type CreateOutcome } from "./outcomes.js";
import { provesChange, provesCreate, provesDelete, provesRead, provesRun } from "./proof.js";
import { isWebPage } from "./reply.js";
import { send, Go, type Decide, type Stopped } from "./send.js";
import type { AccountClient } from "./accountClient.js";

/**
 * Asks the service to create the declared job. The create gate decides when to ask. The request is repeated only if the
 * service certainly did not process it.
 */
export async function createJob<Stop extends Stopped>(
  client: AccountClient,
  job: DeclaredJob,
  decide: Decide<Stop>,
  secrets: unknown,
  began = client.machineClock.monotonic(),
): Promise<CreateOutcome | Stop> {
  const result = await send(client, { call: "create", secrets, began }, decide);
  if (result.kind === "stopped") return result;
  if (result.kind === "answered") {
    const made = provesCreate(result, job, !client.account.mode.canRead);
    if (made.kind === "unknown") {
      const { what, fix } = result.unusable(made.why);
      return {
        outcome: "unconfirmed",
        at: result.at,
        what: isWebPage(result.reply) ? sentences(what, fix) : what,
        named: made.named,
      };
    }
    const answer = `${requestOf("create")} answered HTTP ${result.reply.status}`;
    return { outcome: "created", at: result.at, record: made.value, answer };
  }
  const { what, fix } = result;
  if (result.cause === "ambiguous") return { outcome: "unconfirmed", at: result.at, what };
  if (result.cause !== "refused") return notSent("creates", result);
  return { outcome: "notCreated", cause: result.cause, ends: result.ends, says: result.says, what, fix };
}

interface Found {
  readonly kind: "found";
  readonly record: ReadRecord;
}

/** The service answered that it does not have the job, or no longer has it. */
interface Missing {
  readonly kind: "missing";
}

/**
 * Requests one job by its id. Any answer other than this job or "no such job" is a failure: it does not show whether
 * the job exists.
 */
export async function getJob(
  client: AccountClient,
  id: string,
  secrets?: unknown,
): Promise<Found | Missing | CallFailure> {
  const result = await sendAbout<never>(client, id, { call: "get", secrets });
  if (result.kind !== "answered") return result;
  const read = provesRead(result, id);
  if (read.kind === "unknown") return result.unusable(read.why);
  return read.value === "missing" ? { kind: "missing" } : { kind: "found", record: read.value };
}

/** The change of a job. */
export interface Change {
  readonly before: DeclaredJob;
  readonly now: DeclaredJob;
  /** Decides on the body, which has the whole job, so that the request is safe to repeat. */
  readonly decide: Decide;
}

/** `unshown`: the service took the request, but its reply does not show the change. */
export async function updateJob(
  client: AccountClient,
  id: string,
  { before, now, decide }: Change,
  secrets?: unknown,
): Promise<
  | { readonly kind: "changed"; readonly record: ReadRecord }
  | { readonly kind: "unshown"; readonly failure: CallFailure }
  | Missing
  | CallFailure
> {
  const hidden: unknown[] = [secrets];
  const result = await sendAbout<never>(client, id, { call: "update", secrets: hidden }, async (since) => {
    const { body } = await decide(since);
    hidden.push(body?.()["params"]);
    return new Go(body);
  });
  if (result.kind !== "answered") return result;
  const shown = provesChange(result, id, before, now);
  if (shown.kind === "proved") return { kind: "changed", record: shown.value };
  return { kind: "unshown", failure: result.unusable(shown.why) };
}

/** `unshown`: the service took the request, but its reply does not say that the job is gone. */
export async function deleteJob<Stop extends Stopped>(
  client: AccountClient,
  id: string,
  secrets?: unknown,
  decide?: Decide<Stop>,
): Promise<
  | { readonly kind: "deleted" }
  | { readonly kind: "unshown"; readonly failure: CallFailure }
  | Missing
  | CallFailure
  | Stop
> {
  const result = await sendAbout(client, id, { call: "delete", secrets }, decide);
  if (result.kind !== "answered") return result;
  const gone = provesDelete(result);
  if (gone.kind === "proved") return { kind: "deleted" };
  return { kind: "unshown", failure: { ...result.unusable(gone.why), fix: "Run the command again." } };
}

/**
 * Asks the service to run a job now. The request is never repeated if the service may have processed it. The reply is not
 * documented: any reply that is empty, or JSON that reports no failure, counts as accepted.
 */
export async function runJob(
  client: AccountClient,
  id: string,
): Promise<{ readonly kind: "accepted"; readonly at: string } | Missing | CallFailure> {
  const result = await sendAbout<never>(client, id, { call: "run" });
  if (result.kind !== "answered") return result;
  const accepted = provesRun(result);
  return accepted.kind === "proved" ? { kind: "accepted", at: result.at } : result.unusable(accepted.why);
}

/**
 * Sends a request about one job. Does not send the request if the id cannot be part of a path: dot segments would name
 * another path even when encoded, and half a surrogate pair cannot be encoded.
 */
async function sendAbout<Stop extends Stopped>(
  client: AccountClient,
  jobId: string,
  request: Omit<CallRequest, "jobId">,
  decide?: Decide<Stop>,
): Promise<Answered | Missing | CallFailure | Stop> {
  if (jobId === "" || jobId === "." || jobId === ".." || !jobId.isWellFormed()) {
    const what = `The job id ${JSON.stringify(jobId)} cannot be used in a URL, so nothing was sent.`;
    return { kind: "failed", cause: "notSent", what, fix: "Check existingJobId." };
  }
  const result = await send(client, { ...request, jobId }, decide);
  if (result.kind !== "failed" || !says(result, "noJob")) return result;
  const isCertain = result.cause === "refused" || calls[request.call].canEndAsMissing === true;
  return isCertain ? { kind: "missing" } : result;
}
