import type { Account } from "../config/index.js";
import { Cancellation } from "./cancellation.js";
import type { Claims } from "./claims.js";
import { systemClock, type Clock } from "./clock.js";
import { CreateGate } from "./gate.js";
import { Tokens } from "./token.js";

/** What the process around the client provides. */
export interface ClientOptions {
  /** Whether the engine that asked for all this is still alive. */
  isEngineAlive(): Promise<boolean>;
  /** Shows one line to the user. */
  say(line: string): void;
  /** Takes one line of the debug log for each request, where the user asked for it. */
  readonly log: ((line: string) => void) | undefined;
  /** Default: a run that nobody can cancel. */
  readonly cancellation?: Cancellation;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Who has what in the other processes of the run. Default: there are none. */
  readonly claims?: Claims;
}

/** One account at one address, for one run: its tokens, its create gate and its rate limit. */
export class Service {
  readonly tokens: Tokens;
  readonly pause: RateLimitPause;
  readonly gate: CreateGate;
  readonly cancellation: Cancellation;
  readonly clock: Clock;

  constructor(
    readonly account: Account,
    readonly options: ClientOptions,
  ) {
    this.tokens = new Tokens(account);
    this.clock = options.clock ?? systemClock;
    this.cancellation = options.cancellation ?? new Cancellation();
    this.gate = new CreateGate(this.cancellation);
    this.pause = new RateLimitPause(this.clock, (line) => {
      options.say(line);
    });
  }
}

/** The pause that a service asked for with Retry-After: no request of this run and account is sent before it is over. */
export class RateLimitPause {
  private until = 0;
  private shown = false;

  constructor(
    private readonly clock: Clock,
    private readonly say: (line: string) => void,
  ) {}

  /** How long the pause still lasts, in milliseconds. */
  get remainingMs(): number {
    return Math.max(0, this.until - this.clock.now());
  }

  /** Adopts what a reply asked for; a pause of more than five seconds is shown once. */
  extend(waitMs: number, status: number): void {
    this.until = Math.max(this.until, this.clock.now() + waitMs);
    if (waitMs <= 5000 || this.shown) return;
    this.shown = true;
    this.say(
      `The service answered HTTP ${status} and asks for a pause of ${Math.ceil(waitMs / 1000)} s. No request is sent before ${new Date(this.until).toISOString()}.`,
    );
  }
}

/** All services of one process. What is learned about one account never reaches another. */
export class Services {
  private readonly known = new Map<string, Service>();

  constructor(private readonly options: ClientOptions) {}

  of(account: Account): Service {
    const key = JSON.stringify([account.baseUrl, account.name]);
    let service = this.known.get(key);
    if (service === undefined) {
      service = new Service(account, this.options);
      this.known.set(key, service);
    }
    return service;
  }
}
