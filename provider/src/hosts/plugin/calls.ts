import { Metadata, status, type handleUnaryCall } from "@grpc/grpc-js";
import type { IResourceProviderServer } from "@pulumi/pulumi/proto/provider_grpc_pb.js";

/** The calls that this plugin answers. */
export const served = [
  ...(["handshake", "getPluginInfo", "getSchema", "attach", "cancel"] as const),
  ...(["checkConfig", "diffConfig", "configure", "invoke"] as const),
  ...(["check", "diff", "create", "read", "update", "delete"] as const),
] as const;

/** The calls that the engine is told are not implemented, and then does without. */
export const unserved = ["parameterize", "call", "list", "construct", "getMapping", "getMappings"] as const;

export type Calls = Pick<IResourceProviderServer, (typeof served)[number]>;

/** An error that a user should read, with what tells the engine what to do with it. */
export class CallError extends Error {
  readonly metadata = new Metadata();

  constructor(
    message: string,
    readonly code: status = status.UNKNOWN,
  ) {
    super(message);
  }
}

/** A call that is answered by a function; what it throws is the engine's error, as its message alone. */
export const unary =
  <Request, Response>(answer: (request: Request) => Response | Promise<Response>): handleUnaryCall<Request, Response> =>
  ({ request }, done) => {
    new Promise<Response>((resolve) => {
      resolve(answer(request));
    }).then(
      (response) => {
        done(null, response);
      },
      (error: unknown) => {
        const details = error instanceof Error ? error.message : String(error);
        const { code, metadata } = error instanceof CallError ? error : new CallError(details);
        done({ code, details, metadata });
      },
    );
  };
