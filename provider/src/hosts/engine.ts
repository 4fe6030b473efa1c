import { AsyncLocalStorage } from "node:async_hooks";
import { connect, type ClientHttp2Session } from "node:http2";
import { connect as connectSocket } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Finding, Severity } from "../finding.js";
import { isObject } from "../json.js";

export interface EngineAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The address of the engine that started this process; undefined if none did. It is the last argument that is an
 * address: the engine's logging and tracing flags come before it, and a tracing endpoint is an address too.
 */
export function engineAddress(args: readonly string[] = process.argv.slice(2)): EngineAddress | undefined {
  const found = args.map((arg) => /^(?:\w+:\/\/)?(\[[^\]]+\]|[^:/]+):(\d+)$/.exec(arg) ?? undefined);
  const [, host, port] = found.filter((match) => match !== undefined).at(-1) ?? [];
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** Whether nobody listens there. Only a refused connection shows that: on a busy machine, a living engine may be slow. */
async function isRefused({ host, port }: EngineAddress): Promise<boolean> {
  const socket = connectSocket({ host, port, timeout: 5000 }).unref();
  try {
    await Promise.race([once(socket, "connect"), once(socket, "timeout")]);
    return false;
  } catch (error) {
    return hasRefused(error);
  } finally {
    socket.destroy();
  }
}

const hasRefused = (error: unknown): boolean => isObject(error) && error["code"] === "ECONNREFUSED";

/** How long to wait before connecting again after the connection breaks. */
const reconnectMs = 200;

/** The URN of the resource that the current call is about, for all work that the call starts. */
const answeredFor = new AsyncLocalStorage<string>();

/**
 * The engine of this process. One connection stays open as long as the engine lives. It also carries the lines for the
 * user, because output of a provider process is hidden, or shown without its severity and its resource.
 */
export class Engine {
  private session: ClientHttp2Session | undefined;
  private address: EngineAddress | undefined;
  /** The check that is under way, or the last one. */
  private newest: Promise<boolean> | undefined;
  /** The one that begins when that has ended, for all who ask until then. */
  private next: Promise<boolean> | undefined;
  /** Whether the engine lives. Pending while a broken connection is being replaced. */
  private living: Promise<boolean> | undefined;
  private underWay: Promise<void> = Promise.resolve();

  /** `limitMs`: how long sending a line may take. The call that reported it then goes on without it. */
  constructor(private readonly limitMs = 5000) {}

  /** Connects to the engine, replacing any earlier connection. `whenGone`: called when the engine ends or is killed. */
  connect(address: EngineAddress, whenGone: () => void = () => undefined): void {
    const before = this.session;
    this.address = address;
    this.newest = this.next = undefined;
    this.living = this.open(address, whenGone);
    before?.destroy();
  }

  /**
   * Whether the engine lives, by a check that begins after the question: its end may become known to the connection only
   * after the reply that the next create waits for. True without an engine: nothing then speaks against the create.
   */
  readonly isAlive = (): Promise<boolean> => {
    const { address } = this;
    if (address === undefined) return Promise.resolve(true);
    return (this.next ??= Promise.resolve(this.newest).then(() => {
      this.next = undefined;
      return (this.newest = isRefused(address).then((isGone) => !isGone));
    }));
  };

  /** Resolves when it is known whether the engine lives: only a refused connection means that it does not. */
  private open(address: EngineAddress, whenGone: () => void): Promise<boolean> {
    return new Promise((resolve) => {
      const { host, port } = address;
      const session = connect(`http://${host.includes(":") ? `[${host}]` : host}:${port}`);
      this.session = session;
      session.unref();
      let isGone = false;
      session.once("connect", () => {
        resolve(true);
      });
      session.on("error", (error) => {
        isGone = hasRefused(error);
      });
      session.once("close", () => {
        if (this.session === session) {
          if (isGone) whenGone();
          this.living = isGone ? Promise.resolve(false) : this.openAgain(session, address, whenGone);
        }
        resolve(this.living ?? true);
      });
    });
  }

  private async openAgain(before: ClientHttp2Session, ...again: Parameters<Engine["open"]>): Promise<boolean> {
    await sleep(reconnectMs);
    return this.session === before ? this.open(...again) : (this.living ?? true);
  }

  /** Shows a finding on the resource with the URN `about`. Without one, a debug line is shown on the call's resource. */
  readonly report = ({ severity, text, about }: Finding): void => {
    const urn = about ?? (severity === "debug" ? answeredFor.getStore() : undefined);
    const limit = AbortSignal.timeout(this.limitMs);
    // One after the other: otherwise, the engine would show a short line before a long one.
    this.underWay = this.underWay.then(() => this.send(logRequest(severities[severity], text, urn), limit));
  };

  /**
   * Answers a call, but sends its lines first: the reply may end the run. `urn`: the resource on which the call's debug
   * lines are shown; undefined if there are none, because following the resource through the call slows each step down.
   */
  async answer<Response>(urn: string | undefined, call: () => Response | Promise<Response>): Promise<Response> {
    try {
      return await (urn === undefined ? call() : answeredFor.run(urn, call));
    } finally {
      await this.underWay;
    }
  }

  /** Resolves when the engine has the line, or when the time is up. */
  private async send(line: Buffer, limit: AbortSignal): Promise<void> {
    const late = new Promise((resolve) => {
      limit.addEventListener("abort", resolve);
    });
    await Promise.race([this.living, late]);
    const { session } = this;
    if (limit.aborted || session === undefined || session.closed || session.destroyed) return;
    await new Promise((resolve) => {
      const stream = session.request(logCall, { signal: limit });
      stream.on("error", () => undefined).once("close", resolve);
      stream.resume().end(line);
    });
  }
}

const logCall = {
  ":method": "POST",
  ":path": "/pulumirpc.Engine/Log",
  "content-type": "application/grpc",
  te: "trailers",
};

/** The engine's severities. Debug becomes info: the engine hides debug lines without `--debug`, and ours have a setting. */
const severities: Readonly<Record<Severity, number>> = { debug: 1, info: 1, warning: 2 };

/**
 * A `LogRequest` of pulumi/engine.proto, with the prefix that gRPC requires. Encoded here, because in the classes' process
 * only the SDK could load gRPC, and would load it twice.
 */
function logRequest(severity: number, text: string, urn = ""): Buffer {
  const message = Buffer.concat([Buffer.from([0x08, severity]), stringField(2, text), stringField(3, urn)]);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function stringField(number: number, text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = [];
  for (let rest = bytes.length; length.length === 0 || rest > 0; rest >>>= 7)
    length.push((rest & 127) | (rest > 127 ? 128 : 0));
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}
