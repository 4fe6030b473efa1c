import { credentials, Metadata } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";

export type Severity = keyof typeof LogSeverity;

/** Ignore the machine's proxy settings: the engine runs on this machine. */
const direct = { "grpc.enable_http_proxy": 0 };

/**
 * Shows lines to the user. The engine hides a plugin's own output, so the lines are sent to the engine. A line with a
 * URN appears on that resource. Lines wait until the engine's address is known.
 */
export class EngineLog {
  private client: EngineClient | undefined;
  private readonly waiting: LogRequest[] = [];
  private underWay: Promise<void> = Promise.resolve();

  /** `limitMs`: how long a line may take. After that, the call that said it goes on without it. */
  constructor(private readonly limitMs = 5000) {}

  connect(address: string): void {
    this.client?.close();
    this.client = new EngineClient(address, credentials.createInsecure(), direct);
    for (const request of this.waiting.splice(0)) this.send(request);
  }

  say(line: string, urn = "", severity: Severity = "INFO"): void {
    this.send(new LogRequest().setSeverity(LogSeverity[severity]).setMessage(line.toWellFormed()).setUrn(urn));
  }

  private send(request: LogRequest): void {
    const { client } = this;
    if (client === undefined) {
      this.waiting.push(request);
      return;
    }
    const sent = new Promise<void>((resolve) => {
      // Ignore errors: an engine that is gone cannot show anything.
      client.log(request, new Metadata(), { deadline: Date.now() + this.limitMs }, () => {
        resolve();
      });
    });
    this.underWay = this.underWay.then(() => sent);
  }

  /** Waits until the engine has every line, or is gone. Otherwise a reply that ends the run could overtake them. */
  sent(): Promise<void> {
    return this.underWay;
  }
}
