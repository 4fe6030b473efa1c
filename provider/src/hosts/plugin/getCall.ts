import { ReadResponse, type ReadRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import * as lifecycle from "../../lifecycle/index.js";
import { noSuchJob } from "../../lifecycle/messages.js";
import { parseImportId } from "../importId.js";
import { CallError } from "./calls.js";
import type { Run } from "./run.js";
import { read, write } from "./structs.js";

/**
 * Reads a job that the program gets by its id, and again in a refresh. Its state has no inputs and no origin: the stack does
 * not have the job.
 */
export async function readOnly({ context, resources }: Run, request: ReadRequest): Promise<ReadResponse> {
  const named = request.getId();
  const response = new ReadResponse().setId(named).setInputs(request.getInputs());
  const { id, account } = parseImportId(named);
  const isRefresh = Object.keys(read(request.getProperties()).values).length > 0;
  if (isRefresh && !lifecycle.jobOperationsFor(context, { origin: { account } }).canRead)
    return response.setProperties(request.getProperties());
  const resource = resources.named(request.getUrn());
  const found = await lifecycle.lookUp(context, resource, id, account);
  if (found.kind === "refused") throw new CallError(found.message);
  if (found.kind === "seen")
    return response.setProperties(write({ ...found.declared, job: found.job, jobId: found.job.id }));
  if (isRefresh) return new ReadResponse();
  throw new CallError(`${resource.label}: ${noSuchJob(id, "read")}`);
}
