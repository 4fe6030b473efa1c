import { getJob } from "../../client/getJob.js";
import type { Service } from "../../client/service.js";
import { declaredMembers } from "../../jobs/index.js";
import type { JobState, Undeclared } from "../resource.js";
import { Refusal } from "../result.js";
import { declarationOf } from "../jobDeclaration.js";
import * as messages from "./messages.js";

/** Reads a job that is imported. @throws Refusal where it is not there, is of another type, or cannot be declared. */
export async function readToImport(
  service: Service,
  resource: Undeclared,
  id: string,
  account: string | undefined,
): Promise<Pick<JobState, "declared" | "job">> {
  const found = await getJob(service, id);
  if (found.kind === "missing") throw new Refusal(resource, messages.nothingToImport(id));
  if (found.kind === "failed") throw new Refusal(resource, messages.notImported(id, found));
  const { job } = found.record;
  const declaration = declarationOf(found.record, service.account);
  if ("problems" in declaration)
    throw new Refusal(resource, messages.cannotBeDeclared(id, declaration.problems.join(" ")));
  if (declaration.kind !== resource.kind)
    throw new Refusal(resource, messages.importedOtherType(id, declaration.kind, resource.kind));
  // The state says which job it is, and the account is declared only where it was named.
  return { declared: declaredMembers({ ...declaration.args, existingJobId: undefined, account }), job };
}
