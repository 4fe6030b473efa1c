import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type { Calls } from "./calls.js";

/** Serves these calls on a free port of this machine, and returns the port. Every other call is answered as not implemented. */
export function serve(calls: Partial<Calls>): Promise<number> {
  // The state of a job may be larger than the four megabytes that gRPC accepts by itself.
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  server.addService(ResourceProviderService, { ...calls });
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}
