import { ReadResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import { accountNamePattern } from "../../config/index.js";
import { importJob, type Context, type Undeclared } from "../../lifecycle/index.js";
import { CallError } from "./calls.js";
import { inputsOf, outputsOf } from "./resources.js";

/** Reads a job that no state has: an import. `<account>/<id>` names a job of another account of the settings. */
export async function readNew(context: Context, resource: Undeclared, named: string): Promise<ReadResponse> {
  const [first = "", ...rest] = named.split("/");
  const hasAccount = rest.length > 0 && accountNamePattern.test(first);
  const [id, account] = hasAccount ? [rest.join("/"), first] : [named, undefined];
  const result = await importJob(context, resource, id, account);
  if (result.kind === "refused") throw new CallError(result.message);
  const { state } = result;
  return new ReadResponse().setId(result.id).setProperties(outputsOf(state, [])).setInputs(inputsOf(state, []));
}
