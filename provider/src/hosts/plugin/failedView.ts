import { credentials } from "@grpc/grpc-js";
import type { CreateRequest, UpdateRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import { ResourceStatusClient } from "@pulumi/pulumi/proto/resource_status_grpc_pb.js";
import { PublishViewStepsRequest, ViewStep, ViewStepState } from "@pulumi/pulumi/proto/resource_status_pb.js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { nameIn } from "../engineNames.js";

/**
 * Makes the run fail although the create or update succeeds: the engine saves what the call returns, and then reports this
 * error on a view of the resource. A failed view is never saved in the state.
 */
export async function failAfterwards(request: CreateRequest | UpdateRequest, error: string): Promise<void> {
  const address = request.getResourceStatusAddress();
  // An engine without this service cannot be notified. Its next run reports the unconfirmed create.
  if (address === "") return;
  const view = new ViewStepState()
    .setType("data-connectivity:index:UnconfirmedCreate")
    .setName(nameIn(request.getUrn()))
    .setInputs(new Struct())
    .setOutputs(new Struct());
  const step = new ViewStep()
    .setOp(ViewStep.Op.CREATE)
    .setStatus(ViewStep.Status.UNKNOWN)
    .setType(view.getType())
    .setName(view.getName())
    .setNew(view)
    .setError(error.toWellFormed());
  const steps = new PublishViewStepsRequest().setToken(request.getResourceStatusToken()).setStepsList([step]);
  // Ignore the machine's proxy settings: the engine runs on this machine.
  const options = { "grpc.enable_http_proxy": 0 };
  const client = new ResourceStatusClient(address, credentials.createInsecure(), options);
  await new Promise((resolve) => client.publishViewSteps(steps, resolve));
  client.close();
}
