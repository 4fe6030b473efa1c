import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogSeverity, type LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { stopLater } from "../emulated.js";

export type FakeEngine = Awaited<ReturnType<typeof startFakeEngine>>;

/** Starts what a plugin needs of its engine: an address, and a log. `stopAll` stops it. */
export async function startFakeEngine() {
  const logged: { severity: string | undefined; message: string; urn: string }[] = [];
  const names = new Map(Object.entries(LogSeverity).map(([name, value]) => [value, name]));
  const server = new Server();
  server.addService(EngineService, {
    log: ({ request }: ServerUnaryCall<LogRequest, Empty>, done: sendUnaryData<Empty>) => {
      logged.push({ severity: names.get(request.getSeverity()), message: request.getMessage(), urn: request.getUrn() });
      done(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  /** Makes the engine look killed: nobody listens, and no connection is open. */
  const kill = () => {
    server.forceShutdown();
  };
  const stop = async () => Promise.resolve().then(kill);
  return stopLater({ address: `127.0.0.1:${port}`, logged, kill, stop });
}
