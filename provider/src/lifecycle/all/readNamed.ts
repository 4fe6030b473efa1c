import { getJob } from "../../client/getJob.js";
import type { Service } from "../../client/service.js";
import { declaredMembers } from "../../jobs/index.js";
import { declarationOf } from "../jobDeclaration.js";
import type { NamedJob } from "../operations.js";
import type { JobState, Undeclared } from "../resource.js";
import { Refusal } from "../result.js";
import * as messages from "./messages.js";

/**
 * Reads a job that is named by its id; undefined where the service has none.
 * @throws Refusal where it cannot be read, is of another type, or cannot be declared.
 */
export async function readNamed(
  service: Service,
  resource: Undeclared,
  named: NamedJob,
): Promise<Pick<JobState, "declared" | "job"> | undefined> {
  const found = await getJob(service, named.id);
  if (found.kind === "missing") return undefined;
  if (found.kind === "failed") throw new Refusal(resource, messages.couldNotBeRead(named, found));
  const { job } = found.record;
  const declaration = declarationOf(found.record, service.account);
  if ("problems" in declaration)
    throw new Refusal(resource, messages.cannotBeDeclared(named, declaration.problems.join(" ")));
  if (declaration.kind !== resource.kind)
    throw new Refusal(resource, messages.namedAsOtherType(named, declaration.kind, resource.kind));
  const { account } = named;
  // The state says which job it is, and the account is declared only where it was named.
  return { declared: declaredMembers({ ...declaration.args, existingJobId: undefined, account }), job };
}
