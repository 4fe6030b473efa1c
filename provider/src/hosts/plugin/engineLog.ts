import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";

/**
 * Shows lines to the user. The engine hides a plugin's own output, so the lines are sent to the engine. A line with a
 * URN appears on that resource. Lines wait until the engine's address is known.
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
    this.send(new LogRequest().setSeverity(severities[severity]).setMessage(line.toWellFormed()).setUrn(urn));
  }

  private send(request: LogRequest): void {
    if (this.client === undefined) {
      this.waiting.push(request);
      return;
    }
    const { client } = this;
    const sent = new Promise<void>((resolve) => {
      // Ignore errors: an engine that is gone cannot show anything.
      client.log(request, () => {
        resolve();
      });
    });
    this.underWay.add(sent);
    void sent.then(() => this.underWay.delete(sent));
  }

  /** Waits until the engine has every line, or is gone. Otherwise a reply that ends the run could overtake them. */
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
