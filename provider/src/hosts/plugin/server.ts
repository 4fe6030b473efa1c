import { once } from "node:events";
import { createServer } from "node:net";
import {
  Server,
  ServerCredentials,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type { ListRequest, ListResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import {
  CallError,
  served,
  streamed,
  type AllCalls,
  type CallName,
  type Calls,
  type RequestOf,
  type ResponseOf,
} from "./calls.js";

interface PluginServer {
  readonly port: number;
  /** Stops accepting calls. Resolves when the calls in progress are answered. */
  readonly end: () => Promise<void>;
}

/** Serves these calls on a free port of this machine. All other calls get the reply "not implemented". */
export async function serve(calls: AllCalls): Promise<PluginServer> {
  // A job's state can be larger than gRPC's default limit of 4 MB.
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  const handlers = served.map((name) => [name, unary(calls, name)] as const);
  server.addService(ResourceProviderService, { ...Object.fromEntries(handlers), [streamed]: streaming(calls) });
  const connections = server.createConnectionInjector(ServerCredentials.createInsecure());
  // Do not use `bindAsync`: it looks up and logs the address, which is slow.
  const listener = createServer((connection) => {
    connections.injectConnection(connection);
  });
  const end = () =>
    new Promise<void>((resolve) => {
      listener.close();
      server.tryShutdown(() => {
        resolve();
      });
    });
  await once(listener.listen(0, "127.0.0.1"), "listening");
  const address = listener.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0, end };
}

const unary =
  <Name extends CallName>(calls: Calls, name: Name): handleUnaryCall<RequestOf<Name>, ResponseOf<Name>> =>
  ({ request }, done) => {
    void answer(() => calls[name](request), done);
  };

const streaming =
  (calls: AllCalls): handleServerStreamingCall<ListRequest, ListResponse> =>
  (call) => {
    void answer<readonly ListResponse[]>(
      () => calls[streamed](call.request),
      (error, responses) => {
        if (error !== null) call.emit("error", error);
        else {
          for (const response of responses ?? []) call.write(response);
          call.end();
        }
      },
    );
  };

async function answer<Response>(ask: () => Response | Promise<Response>, done: sendUnaryData<Response>): Promise<void> {
  try {
    done(null, await ask());
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    const { code, message: details, metadata } = error instanceof CallError ? error : new CallError(failure.message);
    done({ code, details, metadata });
  }
}
