import type { Account, Settings } from "../config/index.js";
import { instantOfHeader } from "../dateTime.js";
import { type Clock, systemClock } from "./clock.js";
import { Cancellation, CreateGate } from "./gate.js";
import { RateLimit } from "./rateLimit.js";
import { Tokens } from "./token.js";

/** Shows one line to the user; by default it is not a warning. */
export type Say = (line: string, severity?: "WARNING") => void;

/** What the host provides to the client. */
export interface ClientOptions {
  /** Whether the engine of this run is still alive. */
  isEngineAlive(): Promise<boolean>;
  readonly say: Say;
  /** Writes one debug log line for each request; undefined if there is no debug log. */
  readonly log: ((line: string) => void) | undefined;
  /** Default: the run cannot be cancelled. */
  readonly cancellation?: Cancellation;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** A difference of the clocks that counts as none: a `Date` has whole seconds. */
const toleranceMs = 5000;

/** One account at one address, for one run: its tokens, its create gate and its rate limit. */
export class Service {
  readonly tokens: Tokens;
  readonly gate: CreateGate;
  readonly cancellation: Cancellation;
  readonly clock: Clock;
  readonly rateLimit: RateLimit;
  /**
   * How far the service's clock is ahead of this machine's, by its newest reply, in milliseconds; undefined if no reply
   * has told its time.
   */
  clockDifferenceMs: number | undefined;

  constructor(
    readonly account: Account,
    readonly options: ClientOptions,
  ) {
    this.tokens = new Tokens(account, () => this.clockDifferenceMs);
    this.clock = options.clock ?? systemClock;
    this.cancellation = options.cancellation ?? new Cancellation();
    this.gate = new CreateGate(this.cancellation);
    this.rateLimit = new RateLimit(this.clock, options.say);
  }

  /**
   * The service's time in milliseconds since 1970, to compare with what the service dates. As long as no reply has told
   * it, this machine's.
   */
  now(): number {
    return this.clock.now() + (this.clockDifferenceMs ?? 0);
  }

  /** Learns the service's time from the `Date` of a reply that just came. `sent`: when its request was sent, here. */
  learnTime(date: string | undefined, sent: number): void {
    const told = instantOfHeader(date);
    if (told === undefined) return;
    // The service dated its reply at some time after the request was sent. So a slow reply shows no difference.
    const [least, most] = [told - this.clock.now(), told - sent];
    this.clockDifferenceMs = least > toleranceMs ? least : most < -toleranceMs ? most : 0;
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
