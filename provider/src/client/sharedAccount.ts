import type { Report } from "../finding.js";
import { canonicalJson } from "../json.js";
import { calls, type CallName } from "./calls.js";
import { ServiceClock, type Clock } from "./clock.js";
import { cancelledRun, CreateGate, type Attempt, type Cancellation } from "./gate.js";
import { notSent, type Made, type Outcome, type Reason, type Stopped } from "./outcomes.js";
import { RateLimit } from "./rateLimit.js";

/** What the accounts of one process have in common. */
export interface AccountOptions {
  /** Whether the engine of this run is still alive. */
  isEngineAlive(): Promise<boolean>;
  /** Gets what the user should know, and the lines of the debug log, one for each try of a request. */
  readonly report: Report;
  readonly cancellation: Cancellation;
  readonly clock: Clock;
}

/** An account at the service in one run, whatever its names in the settings. */
export class SharedAccount {
  readonly clock: ServiceClock;
  readonly rateLimit: RateLimit;
  private readonly gate: CreateGate;

  constructor(private readonly run: AccountOptions) {
    this.clock = new ServiceClock(run.clock);
    this.rateLimit = new RateLimit(run.clock, this.clock, run.report);
    this.gate = new CreateGate(run.cancellation);
  }

  /** Why a request must not be sent. Asked before a create waits for the create gate, and before each try. */
  async whyNotSent(call: CallName): Promise<Reason | undefined> {
    const { onlyReads, command } = calls[call];
    if (onlyReads) return undefined;
    // If the engine is gone, nobody would record the change.
    if (!(await this.run.isEngineAlive()))
      return { what: "The Pulumi engine that called this provider is gone.", fix: `Run ${command} again.` };
    return this.run.cancellation.isRequested ? cancelledRun : undefined;
  }

  /** Sends a create once it may be sent. */
  async admit<Stop extends Stopped>(attempt: Attempt<Stop>): Promise<Outcome<Made> | Stop> {
    const why = await this.whyNotSent("create");
    return why === undefined ? this.gate.admit(attempt) : notSent("creates", why);
  }
}

/** The accounts of one process. */
export class SharedAccounts {
  private readonly known = new Map<string, SharedAccount>();

  /** `identity`: what distinguishes the account from others at its address. */
  of(baseUrl: string, identity: unknown, run: AccountOptions): SharedAccount {
    const key = canonicalJson([baseUrl, identity]);
    const account = this.known.get(key) ?? new SharedAccount(run);
    this.known.set(key, account);
    return account;
  }
}
