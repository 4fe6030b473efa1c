import type { Account, Settings } from "../config/index.js";
import { ServiceTime, systemClock, type Clock } from "./clock.js";
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

/** One account at one address, for one run: its tokens, its create gate and its rate limit. */
export class Service {
  readonly tokens: Tokens;
  readonly gate: CreateGate;
  readonly cancellation: Cancellation;
  readonly clock: Clock;
  readonly time: ServiceTime;
  readonly rateLimit: RateLimit;

  constructor(
    readonly account: Account,
    readonly options: ClientOptions,
  ) {
    this.clock = options.clock ?? systemClock;
    this.time = new ServiceTime(this.clock);
    this.tokens = new Tokens(account, this.time);
    this.cancellation = options.cancellation ?? new Cancellation();
    this.gate = new CreateGate(this.cancellation);
    this.rateLimit = new RateLimit(this.clock, this.time, options.say);
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
