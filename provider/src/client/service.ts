import type { Account, Settings } from "../config/index.js";
import type { Report } from "../finding.js";
import { ServiceClock, systemClock, type Clock } from "./clock.js";
import { Cancellation, CreateGate } from "./gate.js";
import { RateLimit } from "./rateLimit.js";
import { Tokens } from "./token.js";

/** What the host provides to the client. */
export interface ClientOptions {
  /** Whether the engine of this run is still alive. */
  isEngineAlive(): Promise<boolean>;
  /** Gets the lines of the debug log, one for each request, only if the settings turn the log on. */
  readonly report: Report;
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
  readonly machineClock: Clock;
  readonly serviceClock: ServiceClock;
  readonly rateLimit: RateLimit;

  constructor(
    readonly account: Account,
    readonly options: ClientOptions,
  ) {
    this.machineClock = options.clock ?? systemClock;
    this.serviceClock = new ServiceClock(this.machineClock);
    this.cancellation = options.cancellation ?? new Cancellation();
    this.tokens = new Tokens(account, this.serviceClock, this.cancellation);
    this.gate = new CreateGate(this.cancellation);
    this.rateLimit = new RateLimit(this.machineClock, this.serviceClock, options.report);
  }
}

/** The services of one process, one for each account, so that accounts share no state. */
export class Services {
  private readonly known = new Map<string | undefined, Service>();

  constructor(
    readonly settings: Settings,
    private readonly options: ClientOptions,
  ) {}

  /** Passes a finding to the user; one of the debug log only if the settings turn the log on. */
  readonly report: Report = (finding) => {
    if (finding.severity !== "debug" || this.settings.debug()) this.options.report(finding);
  };

  /**
   * The service of the account with this name; without a name, of the stack's own account.
   * @throws SettingsError as `Settings.account` does.
   */
  of(name?: string): Service {
    const account = this.settings.account(name);
    const service = this.known.get(account.name) ?? new Service(account, { ...this.options, report: this.report });
    this.known.set(account.name, service);
    return service;
  }

  /** The service of the account that a declaration names. @throws SettingsError as {@link Services.of} does. */
  declaredBy({ account }: Readonly<Record<string, unknown>>): Service {
    return this.of(typeof account === "string" ? account : undefined);
  }
}
