import { createServer } from "node:net";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type { Calls } from "./calls.js";

/** Serves these calls on a free port of this machine, and returns the port. Every other call is answered as not implemented. */
export function serve(calls: Partial<Calls>): Promise<number> {
  // The state of a job may be larger than the four megabytes that gRPC accepts by itself.
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  server.addService(ResourceProviderService, { ...calls });
  const connections = server.createConnectionInjector(ServerCredentials.createInsecure());
  // `bindAsync` would look up and log the address, a twentieth of the time that an empty Node process takes.
  const listener = createServer((connection) => {
    connections.injectConnection(connection);
  });
  return new Promise((resolve, reject) => {
    listener.once("error", reject).listen({ host: "127.0.0.1", port: 0 }, () => {
      const address = listener.address();
      if (address !== null && typeof address === "object") resolve(address.port);
    });
  });
}
