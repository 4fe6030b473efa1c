import type { JsonObject } from "../json.js";
import { sentences } from "../sentences.js";
import { idProblem, jobsIn, readJobs, type ReadRecord } from "./jobRecord.js";
import type { Answered, CallFailure, NotCreated, Operation, OperationResult, Unconfirmed } from "./operation.js";
import { hiddenToken, isWebPage, objectIn, parseReply } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";
import { askForAddress, isMissing } from "./statuses.js";

const createPath = "/api/job/create";

/** A 2xx reply to a create: the caller decides which of the reply's jobs is the new job. */
export type CreateReply = ReturnType<typeof readCreated>;

/**
 * Asks the service to create a job. The create gate decides when to ask. The request is repeated only if the service
 * certainly did not process it.
 */
export async function createJob(
  service: Service,
  body: JsonObject,
  secrets: unknown = body["params"],
): Promise<CreateReply | NotCreated | Unconfirmed> {
  const result = await send(service, { purpose: "create", path: createPath, body: JSON.stringify(body), secrets });
  if (result.kind === "answered") return readCreated(result);
  const { cause, status, what, fix } = result;
  if (cause === "ambiguous") return { outcome: "unconfirmed", at: result.at, what };
  return { outcome: "notCreated", cause: cause === "refused" ? cause : "notSent", status, what, fix };
}

function readCreated({ reply: { status, body, contentType }, at, token, unusable }: Answered) {
  const parsed = parseReply(body);
  return {
    outcome: "answered" as const,
    at,
    jobs: readJobs(parsed, token),
    /** For the beginning of a message. */
    answer: `POST ${createPath} answered HTTP ${status}`,
    /** What a message says if there is no job in the reply. */
    noJob: () => {
      const hidden = hiddenToken(token);
      const problems = jobsIn(parsed).map((job) => idProblem(job, hidden));
      const fix = isWebPage(body, contentType) ? askForAddress : undefined;
      return unusable(sentences("The reply has no readable job.", ...problems, fix)).what;
    },
  };
}

/** The service answered that it does not have the job, or no longer has it. */
interface Missing {
  readonly kind: "missing";
}

const jobIn = (reply: unknown, { token }: Answered, id: string): ReadRecord | undefined =>
  readJobs(reply, token).find(({ job }) => job.id === id);

/**
 * Requests one job by its id. Any answer other than this job or "no such job" is a failure: it does not show whether
 * the job exists.
 */
export async function getJob(
  service: Service,
  id: string,
  secrets?: unknown,
): Promise<{ readonly kind: "found"; readonly record: ReadRecord } | Missing | CallFailure> {
  const result = await sendAbout(service, id, "", { purpose: "read", secrets });
  if (result.kind === "failed") return isMissing(result.status) ? { kind: "missing" } : result;
  const body = objectIn(result.reply);
  if (body !== undefined) {
    const empty = "jobs" in body && jobsIn(body).length === 0 && (body["jobs"] === null || Array.isArray(body["jobs"]));
    if (empty) return { kind: "missing" };
    const record = jobIn(body, result, id);
    if (record !== undefined) return { kind: "found", record };
  }
  return result.unusable(`The reply is not job ${id}.`);
}

/**
 * Replaces the whole job with `body`, so the request is safe to repeat. The returned record is undefined if the answer
 * does not include the job.
 */
export async function updateJob(
  service: Service,
  id: string,
  body: JsonObject,
  secrets?: unknown,
): Promise<{ readonly kind: "updated"; readonly record: ReadRecord | undefined } | Missing | CallFailure> {
  const result = await sendAbout(service, id, "/update", {
    purpose: "change",
    body: JSON.stringify(body),
    secrets: [body["params"], secrets],
  });
  if (result.kind === "failed")
    return result.cause === "refused" && isMissing(result.status) ? { kind: "missing" } : result;
  const answer = objectIn(result.reply);
  const isJob = answer !== undefined && ("jobs" in answer || jobsIn(answer).length > 0);
  if (result.reply.body.trim() === "" || isJob) return { kind: "updated", record: jobIn(answer, result, id) };
  return result.unusable("The reply does not show the changed job.");
}

/** The reply is not documented. Only an empty reply, or the job itself, confirms the delete. */
export async function deleteJob(
  service: Service,
  id: string,
  secrets?: unknown,
): Promise<{ readonly kind: "deleted" } | Missing | CallFailure> {
  const result = await sendAbout(service, id, "/delete", { purpose: "delete", secrets });
  if (result.kind === "failed") return isMissing(result.status) ? { kind: "missing" } : result;
  const body = objectIn(result.reply);
  if (result.reply.body.trim() === "" || jobIn(body, result, id) !== undefined) return { kind: "deleted" };
  if (body !== undefined && "jobs" in body && jobsIn(body).length === 0) return { kind: "missing" };
  return { ...result.unusable("That is no clear answer."), fix: "Run the command again." };
}

/**
 * Asks the service to run a job now. The request is never repeated if the service may have processed it. The reply is not
 * documented: any reply that is empty, or JSON that reports no failure, counts as accepted.
 */
export async function runJob(
  service: Service,
  id: string,
): Promise<{ readonly kind: "accepted"; readonly at: string } | Missing | CallFailure> {
  const result = await sendAbout(service, id, "/run", { purpose: "run" });
  if (result.kind === "failed")
    return result.cause === "refused" && isMissing(result.status) ? { kind: "missing" } : result;
  if (result.reply.body.trim() === "" || objectIn(result.reply) !== undefined)
    return { kind: "accepted", at: result.at };
  return result.unusable("That is no clear answer.");
}

/**
 * Sends a request about one job. Does not send the request if the id cannot be part of a path: dot segments would name
 * another path even when encoded, and half a surrogate pair cannot be encoded.
 */
async function sendAbout(
  service: Service,
  id: string,
  action: "" | "/update" | "/delete" | "/run",
  operation: Omit<Operation, "path">,
): Promise<OperationResult> {
  if (id === "" || id === "." || id === ".." || !id.isWellFormed()) {
    const what = `The job id ${JSON.stringify(id)} cannot be used in a URL, so nothing was sent.`;
    return { kind: "failed", cause: "notSent", what, fix: "Check existingJobId." };
  }
  return send(service, { ...operation, path: `/api/job/${encodeURIComponent(id)}${action}` });
}
