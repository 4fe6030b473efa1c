import { ReadResponse, type ReadRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import * as lifecycle from "../../lifecycle/index.js";
import { noSuchJob } from "../../lifecycle/messages.js";
import { parseImportId } from "../engineNames.js";
import { CallError } from "./calls.js";
import { inputsOf, outputsOf } from "./resources.js";
import type { Run } from "./run.js";
import { isEmpty, write } from "./wire.js";

/**
 * Reads a job that the program gets by the job's id, and reads the job again in a refresh. The job's state has no
 * inputs and no origin, because the job does not belong to the stack.
 */
export async function readOnly({ context, resources }: Run, request: ReadRequest): Promise<ReadResponse> {
  const [named, properties] = [request.getId(), request.getProperties()];
  const { id, account } = parseImportId(named);
  const isRefresh = !isEmpty(properties);
  const response = new ReadResponse().setId(named).setInputs(request.getInputs());
  if (isRefresh && !lifecycle.rulesFor(context, { origin: { account } }).canRead)
    return response.setProperties(properties);
  const resource = resources.named(request.getUrn());
  const found = await lifecycle.lookUp(context, resource, id, account);
  if (found.kind === "refused") throw new CallError(found.message);
  if (found.kind === "seen")
    return response.setProperties(write({ ...found.declared, job: found.job, jobId: found.job.id }));
  if (isRefresh) return new ReadResponse();
  throw new CallError(`${resource.label}: ${noSuchJob(id, "read")}`);
}

/** Reads a job for `pulumi import`: the stack's state does not have the job yet. */
export async function readNew({ context, resources }: Run, urn: string, named: string): Promise<ReadResponse> {
  const { id, account } = parseImportId(named);
  const result = await lifecycle.importJob(context, resources.named(urn), id, account);
  if (result.kind === "refused") throw new CallError(result.message);
  const { state } = result;
  return new ReadResponse().setId(result.id).setProperties(outputsOf(state, [])).setInputs(inputsOf(state, []));
}
