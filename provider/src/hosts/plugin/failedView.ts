import { credentials } from "@grpc/grpc-js";
import type { CreateRequest, UpdateRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import { ResourceStatusClient } from "@pulumi/pulumi/proto/resource_status_grpc_pb.js";
import { PublishViewStepsRequest, ViewStep, ViewStepState } from "@pulumi/pulumi/proto/resource_status_pb.js";
import { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { nameIn } from "../engineNames.js";

/**
 * Makes the run fail although its create or update succeeds: the engine saves what the call returns, and then reports
 * this error, as that of a view of the resource. A view that fails is in no state.
 */
export async function failAfterwards(request: CreateRequest | UpdateRequest, error: string): Promise<void> {
  const address = request.getResourceStatusAddress();
  // An engine without this service cannot be told: its next run says that the create is unconfirmed.
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
