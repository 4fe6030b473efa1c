import { isMissing } from "./getJob.js";
import { jobPath, noPathFor } from "./jobPath.js";
import { jobsIn } from "./jobsReply.js";
import type { Explanation } from "./operation.js";
import { objectIn } from "./reply.js";
import { send } from "./send.js";
import type { Service } from "./service.js";

export type DeleteResult =
  | { readonly kind: "deleted" }
  /** The service answered that it has no such job (any more). */
  | { readonly kind: "missing" }
  /** Surely not deleted. */
  | (Explanation & { readonly kind: "refused" })
  /** It may have been deleted. */
  | (Explanation & { readonly kind: "ambiguous" });

/** Deletes a job by its id. No reply is documented: only an empty one, or the job, says clearly that it was deleted. `params`: what the job has; an error may echo it. */
export async function deleteJob(service: Service, id: string, params?: unknown): Promise<DeleteResult> {
  const path = jobPath(id, "/delete");
  if (path === undefined) return { kind: "refused", ...noPathFor(id) };
  const result = await send(service, {
    method: "DELETE",
    path,
    repeatable: true,
    secrets: params,
  });
  const { kind } = result;
  if (kind !== "answered") {
    if (kind !== "notSent" && isMissing(result.status)) return { kind: "missing" };
    return { kind: kind === "ambiguous" ? "ambiguous" : "refused", what: result.what, fix: result.fix };
  }
  const { reply, unexpected } = result;
  if (reply.body?.trim() === "") return { kind: "deleted" };
  const body = objectIn(reply);
  if (body !== undefined) {
    if (jobsIn(body).length > 0) return { kind: "deleted" };
    if ("jobs" in body) return { kind: "missing" };
  }
  const what = unexpected("That is no clear answer.");
  return { kind: "ambiguous", what, fix: "Run the command again." };
}
