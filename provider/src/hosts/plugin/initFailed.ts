import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { Any } from "google-protobuf/google/protobuf/any_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { Recorded } from "../../lifecycle/index.js";
import { CallError } from "./calls.js";

/**
 * A resource that is recorded although the run fails: the only form in which the engine saves what comes with an error.
 * The next run then updates it, and never creates it.
 */
export function initFailed({ id, message }: Recorded, inputs: Struct, outputs: Struct): CallError {
  const error = new CallError(message);
  const failed = new ErrorResourceInitFailed()
    .setId(id)
    .setInputs(inputs)
    .setProperties(outputs)
    .setReasonsList([error.message]);
  const detail = new Any();
  detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const status = new Status().setCode(error.code).setMessage(error.message);
  status.addDetails(detail);
  error.metadata.add(detailsKey, Buffer.from(status.serializeBinary()));
  return error;
}

const detailsKey = "grpc-status-details-bin";
