import { setTimeout as sleep } from "node:timers/promises";
import type { Account, Settings } from "../config/index.js";
import { Cancellation, CreateGate } from "./gate.js";
import { Tokens } from "./token.js";

/** The client's clock. Tests replace it with one whose waits take no real time. */
export interface Clock {
  /** Whole milliseconds since 1970. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Starts a time limit of this many milliseconds. */
  limit(ms: number): TimeLimit;
}

/** A time limit keeps this process alive: Node ends a process that waits for nothing, and a program would end in silence. */
export interface TimeLimit {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Ends the limit early. */
  readonly end: () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep,
  limit: (ms) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort();
    }, ms);
    return {
      signal: controller.signal,
      end: () => {
        clearTimeout(timer);
      },
    };
  },
};

/** What the host provides to the client. */
export interface ClientOptions {
  /** Whether the engine of this run is still alive. */
  isEngineAlive(): Promise<boolean>;
  /** Shows one line to the user. */
  say(line: string): void;
  /** Writes one debug log line for each request; undefined if there is no debug log. */
  readonly log: ((line: string) => void) | undefined;
  /** Default: the run cannot be cancelled. */
  readonly cancellation?: Cancellation;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** One account at one address, for one run: its tokens, its create gate and its rate-limit pause. */
export class Service {
  readonly tokens: Tokens;
  readonly gate: CreateGate;
  readonly cancellation: Cancellation;
  readonly clock: Clock;
  /** The end of the pause that the service asked for with Retry-After. Until then, the account sends no request. */
  pausedUntil = 0;
  private pauseShown = false;

  constructor(
    readonly account: Account,
    readonly options: ClientOptions,
  ) {
    this.tokens = new Tokens(account);
    this.clock = options.clock ?? systemClock;
    this.cancellation = options.cancellation ?? new Cancellation();
    this.gate = new CreateGate(this.cancellation);
  }

  /** Begins or extends the pause. Only the first pause of more than five seconds is shown to the user. */
  pause(waitMs: number, status: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, this.clock.now() + waitMs);
    if (waitMs <= 5000 || this.pauseShown) return;
    this.pauseShown = true;
    this.options.say(
      `The service answered HTTP ${status} and asks for a pause of ${Math.ceil(waitMs / 1000)} s. No request is sent before ${new Date(this.pausedUntil).toISOString()}.`,
    );
  }
}

/** The services of one process, one for each account, so that accounts share no state. */
export class Services {
  private readonly known = new Map<string | undefined, Service>();

  /** `options.log` is used only if the settings turn the debug log on. */
  constructor(
    readonly settings: Settings,
    private readonly options: ClientOptions,
  ) {}

  /**
   * The service of the account with this name; without a name, of the stack's own account.
   * @throws SettingsError as `Settings.account` does.
   */
  of(name?: string): Service {
    const account = this.settings.account(name);
    const log = this.settings.debug() ? this.options.log : undefined;
    const service = this.known.get(account.name) ?? new Service(account, { ...this.options, log });
    this.known.set(account.name, service);
    return service;
  }

  /** The service of the account that a declaration names. @throws SettingsError as {@link Services.of} does. */
  declaredBy({ account }: Readonly<Record<string, unknown>>): Service {
    return this.of(typeof account === "string" ? account : undefined);
  }
}

/** Calls `make` only once for each service. What it returned lives as long as the service, for one run. */
export function oncePerService<Value extends object>(make: (service: Service) => Value): (service: Service) => Value {
  const values = new WeakMap<Service, Value>();
  return (service) => {
    const value = values.get(service) ?? make(service);
    values.set(service, value);
    return value;
  };
}
