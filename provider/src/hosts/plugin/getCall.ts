import * as lifecycle from "../../lifecycle/index.js";
import { noSuchJob } from "../../lifecycle/messages.js";
import { parseImportId } from "../importId.js";
import { CallError } from "./calls.js";
import type { Run } from "./run.js";
import type { ReadRequest, ReadResponse } from "./resourceMessages.js";
import { isEmpty, write } from "./structs.js";

/**
 * Reads a job that the program gets by its id, and again in a refresh. Its state has no inputs and no origin: the stack does
 * not have the job.
 */
export async function readOnly({ context, resources }: Run, request: ReadRequest): Promise<ReadResponse> {
  const { urn, id: named, properties, inputs } = request;
  const { id, account } = parseImportId(named);
  const isRefresh = !isEmpty(properties);
  if (isRefresh && !lifecycle.rulesFor(context, { origin: { account } }).canRead)
    return { id: named, properties, inputs };
  const resource = resources.named(urn);
  const found = await lifecycle.lookUp(context, resource, id, account);
  if (found.kind === "refused") throw new CallError(found.message);
  if (found.kind === "seen")
    return { id: named, properties: write({ ...found.declared, job: found.job, jobId: found.job.id }), inputs };
  if (isRefresh) return { id: "" };
  throw new CallError(`${resource.label}: ${noSuchJob(id, "read")}`);
}
