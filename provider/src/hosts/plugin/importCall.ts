import { ReadResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import { importJob, type Context, type Undeclared } from "../../lifecycle/index.js";
import { parseImportId } from "../importId.js";
import { CallError } from "./calls.js";
import { inputsOf, outputsOf } from "./resources.js";

/** Reads a job that no state has: an import. */
export async function readNew(context: Context, resource: Undeclared, named: string): Promise<ReadResponse> {
  const { id, account } = parseImportId(named);
  const result = await importJob(context, resource, id, account);
  if (result.kind === "refused") throw new CallError(result.message);
  const { state } = result;
  return new ReadResponse().setId(result.id).setProperties(outputsOf(state, [])).setInputs(inputsOf(state, []));
}
