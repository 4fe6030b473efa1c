import type { DeclaredJob } from "../jobs/index.js";
import type { JsonObject } from "../json.js";
import { sentences } from "../sentences.js";
import type { ReadRecord } from "./jobRecord.js";
import type { Answered, CallFailure, CreateOutcome, CallRequest } from "./operation.js";
import { provesChange, provesCreate, provesDelete, provesRead, provesRun } from "./proof.js";
import { isWebPage } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";
import { says } from "./statuses.js";

const createPath = "/api/job/create";

/**
 * Asks the service to create the declared job. The create gate decides when to ask. The request is repeated only if the
 * service certainly did not process it.
 */
export async function createJob(
  service: Service,
  job: DeclaredJob,
  body: JsonObject,
  secrets: unknown = body["params"],
): Promise<CreateOutcome> {
  const result = await send(service, { purpose: "create", path: createPath, body: () => body, secrets });
  if (result.kind === "answered") {
    const made = provesCreate(result, job, !service.account.mode.canRead);
    if (made.kind === "unknown") {
      const { what, fix } = result.unusable(made.why);
      return {
        outcome: "unconfirmed",
        at: result.at,
        what: isWebPage(result.reply) ? sentences(what, fix) : what,
      };
    }
    const answer = `POST ${createPath} answered HTTP ${result.reply.status}`;
    return { outcome: "created", at: result.at, record: made.value, answer };
  }
  const { cause, status, what, fix } = result;
  if (cause === "ambiguous") return { outcome: "unconfirmed", at: result.at, what };
  return { outcome: "notCreated", cause: cause === "refused" ? cause : "notSent", status, what, fix };
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
export async function getJob(service: Service, id: string, secrets?: unknown): Promise<Found | Missing | CallFailure> {
  const result = await sendAbout(service, id, "", { purpose: "read", secrets });
  if (result.kind !== "answered") return result;
  const read = provesRead(result, id);
  if (read.kind === "unknown") return result.unusable(read.why);
  return read.value === "missing" ? { kind: "missing" } : { kind: "found", record: read.value };
}

/** The change of a job. */
export interface Change {
  readonly before: DeclaredJob;
  readonly now: DeclaredJob;
  /** The whole job, so the request is safe to repeat. */
  readonly body: () => JsonObject;
}

/** `unshown`: the service took the request, but its reply does not show the change. */
export async function updateJob(
  service: Service,
  id: string,
  { before, now, body }: Change,
  secrets?: unknown,
): Promise<
  | { readonly kind: "changed"; readonly record: ReadRecord }
  | { readonly kind: "unshown"; readonly failure: CallFailure }
  | Missing
  | CallFailure
> {
  const result = await sendAbout(service, id, "/update", {
    purpose: "change",
    body,
    secrets: [body()["params"], secrets],
  });
  if (result.kind !== "answered") return result;
  const shown = provesChange(result, id, before, now);
  if (shown.kind === "proved") return { kind: "changed", record: shown.value };
  return { kind: "unshown", failure: result.unusable(shown.why) };
}

/** `unshown`: the service took the request, but its reply does not say that the job is gone. */
export async function deleteJob(
  service: Service,
  id: string,
  secrets?: unknown,
): Promise<
  { readonly kind: "deleted" } | { readonly kind: "unshown"; readonly failure: CallFailure } | Missing | CallFailure
> {
  const result = await sendAbout(service, id, "/delete", { purpose: "delete", secrets });
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
  service: Service,
  id: string,
): Promise<{ readonly kind: "accepted"; readonly at: string } | Missing | CallFailure> {
  const result = await sendAbout(service, id, "/run", { purpose: "run" });
  if (result.kind !== "answered") return result;
  const accepted = provesRun(result);
  return accepted.kind === "proved" ? { kind: "accepted", at: result.at } : result.unusable(accepted.why);
}

/**
 * Sends a request about one job. Does not send the request if the id cannot be part of a path: dot segments would name
 * another path even when encoded, and half a surrogate pair cannot be encoded.
 */
async function sendAbout(
  service: Service,
  id: string,
  action: "" | "/update" | "/delete" | "/run",
  operation: Omit<CallRequest, "path">,
): Promise<Answered | Missing | CallFailure> {
  if (id === "" || id === "." || id === ".." || !id.isWellFormed()) {
    const what = `The job id ${JSON.stringify(id)} cannot be used in a URL, so nothing was sent.`;
    return { kind: "failed", cause: "notSent", what, fix: "Check existingJobId." };
  }
  const result = await send(service, { ...operation, path: `/api/job/${encodeURIComponent(id)}${action}` });
  if (result.kind === "answered" || !says(result.status, "noJob")) return result;
  // A delete that may have been processed can lead to a 404. After a change or a run, a 404 does not show what happened.
  const isCertain = action === "" || action === "/delete" || result.cause === "refused";
  return isCertain ? { kind: "missing" } : result;
}
