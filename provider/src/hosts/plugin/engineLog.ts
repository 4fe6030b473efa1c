import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import { wellFormed } from "../../client/reply.js";

/**
 * Says lines to the user. What a plugin prints is hidden, so they go to the engine; with a URN a line stands at its resource.
 * Lines that come before the engine's address is known are sent then.
 */
export class EngineLog {
  private client: EngineClient | undefined;
  private readonly waiting: LogRequest[] = [];
  private readonly underWay = new Set<Promise<void>>();

  connect(address: string): void {
    this.client?.close();
    this.client = new EngineClient(address, credentials.createInsecure());
    for (const request of this.waiting.splice(0)) this.send(request);
  }

  say(line: string, urn = "", severity: "debug" | "info" | "warning" | "error" = "info"): void {
    this.send(new LogRequest().setSeverity(severities[severity]).setMessage(wellFormed(line)).setUrn(urn));
  }

  private send(request: LogRequest): void {
    if (this.client === undefined) {
      this.waiting.push(request);
      return;
    }
    const { client } = this;
    const sent = new Promise<void>((resolve) => {
      // An engine that is gone shows nothing any more.
      client.log(request, () => {
        resolve();
      });
    });
    this.underWay.add(sent);
    void sent.then(() => this.underWay.delete(sent));
  }

  /** Waits until the engine has every line, or is gone: an answer that ends the run may overtake them. */
  async sent(): Promise<void> {
    await Promise.all(this.underWay);
  }

  close(): void {
    this.client?.close();
  }
}

const severities = {
  debug: LogSeverity.DEBUG,
  info: LogSeverity.INFO,
  warning: LogSeverity.WARNING,
  error: LogSeverity.ERROR,
};
