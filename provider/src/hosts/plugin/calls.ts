import { Metadata, status } from "@grpc/grpc-js";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import {
  CheckFailure,
  ErrorResourceInitFailed,
  type ListRequest,
  type ListResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { Any } from "google-protobuf/google/protobuf/any_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import type { Recorded } from "../../lifecycle/result.js";

/** The calls that this plugin answers. */
export const served = [
  ...(["handshake", "getPluginInfo", "getSchema", "attach", "cancel"] as const),
  ...(["checkConfig", "diffConfig", "configure", "invoke"] as const),
  ...(["check", "diff", "create", "read", "update", "delete"] as const),
] as const;

/** The call that this plugin answers with a stream. */
export const streamed = "list";

export type CallName = (typeof served)[number];
type Handling<Name extends CallName> = Parameters<IResourceProviderServer[Name]>;
export type RequestOf<Name extends CallName> = Handling<Name>[0]["request"];
export type ResponseOf<Name extends CallName> = NonNullable<Parameters<Handling<Name>[1]>[1]>;

/** The handlers of the calls. The engine gets only the message of a thrown error that is not a {@link CallError}. */
export type Calls = {
  readonly [Name in CallName]: (request: RequestOf<Name>) => ResponseOf<Name> | Promise<ResponseOf<Name>>;
};

/** The same, with the messages of the stream. */
export interface AllCalls extends Calls {
  readonly [streamed]: (request: ListRequest) => Promise<readonly ListResponse[]>;
}

export type ResourceCalls = Pick<Calls, "check" | "diff" | "create" | "read" | "update" | "delete">;

/** A problem with the inputs. No property is named: the engine would print its value, with secrets in clear text. */
export const failureOf = (reason: string): CheckFailure => new CheckFailure().setReason(reason.toWellFormed());

/** An error for the user to read, with the gRPC code and metadata that the engine needs. */
export class CallError extends Error {
  readonly metadata = new Metadata();

  constructor(
    message: string,
    readonly code: status = status.UNKNOWN,
  ) {
    super(message.toWellFormed());
  }
}

/**
 * The error for a resource that is recorded although the run fails. The engine saves the resource only from an error in
 * this form. The next run then updates the resource and never creates it.
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
