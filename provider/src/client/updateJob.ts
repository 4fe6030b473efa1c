import type { JsonObject } from "../json.js";
import { isMissing } from "./getJob.js";
import { jobPath, noPathFor } from "./jobPath.js";
import type { ReadRecord } from "./jobRecord.js";
import { jobsIn, readJobs } from "./jobsReply.js";
import type { Answered, Explanation } from "./operation.js";
import { objectIn } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";

export type UpdateResult =
  /** Without a record where the service answered without one. */
  | { readonly kind: "updated"; readonly record: ReadRecord | undefined }
  | { readonly kind: "missing" }
  /** Surely not changed. */
  | (Explanation & { readonly kind: "refused" })
  /** The change may have been made. */
  | (Explanation & { readonly kind: "ambiguous" });

/**
 * Replaces a job by this body. It is the whole job, so the request may be repeated. `params`: what the job had until now;
 * an error may echo it.
 */
export async function updateJob(
  service: Service,
  id: string,
  body: JsonObject,
  params?: unknown,
): Promise<UpdateResult> {
  const path = jobPath(id, "/update");
  if (path === undefined) return { kind: "refused", ...noPathFor(id) };
  const result = await send(service, {
    method: "PUT",
    path,
    body: JSON.stringify(body),
    repeatable: true,
    secrets: [body["params"], params],
  });
  if (result.kind === "answered") return readReply(result, id);
  const { what, fix } = result;
  if (result.kind === "refused" && isMissing(result.status)) return { kind: "missing" };
  return { kind: result.kind === "ambiguous" ? "ambiguous" : "refused", what, fix };
}

function readReply({ reply, token, unexpected }: Answered, id: string): UpdateResult {
  const body = objectIn(reply);
  const isJob = body !== undefined && ("jobs" in body || jobsIn(body).length > 0);
  if (reply.body?.trim() === "" || isJob) {
    return { kind: "updated", record: readJobs(body, token).find(({ job }) => job.id === id) };
  }
  const what = unexpected("The reply is not the changed job.");
  return { kind: "ambiguous", what, fix: "Run pulumi up again: it sends the whole job again." };
}
