import { Metadata, status } from "@grpc/grpc-js";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { CheckFailure, ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { Any } from "google-protobuf/google/protobuf/any_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { wellFormed } from "../../client/reply.js";
import type { Recorded } from "../../lifecycle/index.js";

/** The calls that this plugin answers. */
export const served = [
  ...(["handshake", "getPluginInfo", "getSchema", "attach", "cancel"] as const),
  ...(["checkConfig", "diffConfig", "configure", "invoke"] as const),
  ...(["check", "diff", "create", "read", "update", "delete"] as const),
] as const;

/** The calls that the engine is told are not implemented, and then does without. */
export const unserved = ["parameterize", "call", "list", "construct", "getMapping", "getMappings"] as const;

export type CallName = (typeof served)[number];
type Handling<Name extends CallName> = Parameters<IResourceProviderServer[Name]>;
export type RequestOf<Name extends CallName> = Handling<Name>[0]["request"];
export type ResponseOf<Name extends CallName> = NonNullable<Parameters<Handling<Name>[1]>[1]>;

/** How each call is answered. Of a thrown error, only the message reaches the engine. */
export type Calls = {
  readonly [Name in CallName]: (request: RequestOf<Name>) => ResponseOf<Name> | Promise<ResponseOf<Name>>;
};

/** What is wrong with what was handed over. It names no property: the engine would print its value, secrets in clear. */
export const failureOf = (reason: string): CheckFailure => new CheckFailure().setReason(wellFormed(reason));

/** An error for the user to read, and what the engine needs to handle it. */
export class CallError extends Error {
  readonly metadata = new Metadata();

  constructor(
    message: string,
    readonly code: status = status.UNKNOWN,
  ) {
    super(wellFormed(message));
  }
}

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
