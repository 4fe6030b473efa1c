import type { Account, Settings } from "../config/index.js";
import type { Report } from "../finding.js";
import { systemClock, type Clock } from "./clock.js";
import { Cancellation } from "./gate.js";
import type { sendOnce } from "./http.js";
import { SharedAccounts, type AccountOptions, type SharedAccount } from "./sharedAccount.js";
import { Tokens } from "./token.js";

/** What the host provides to the client. */
export interface ClientOptions extends Pick<AccountOptions, "isEngineAlive" | "report"> {
  /** Default: the run cannot be cancelled. */
  readonly cancellation?: Cancellation;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** The accounts that several settings share. Default: none. */
  readonly accounts?: SharedAccounts;
  /** Sends one request. Default: over HTTP. */
  readonly transport?: typeof sendOnce | undefined;
}

/**
 * The client for one account name in the settings, or for the unnamed account, in one run: its settings and its tokens.
 * Several names may stand for one account.
 */
export class AccountClient {
  readonly tokens: Tokens;
  readonly cancellation: Cancellation;
  readonly machineClock: Clock;
  private readonly accounts: SharedAccounts;
  private learned: Promise<void> | undefined;
  private newest: { readonly identity: string | undefined; readonly account: SharedAccount } | undefined;

  constructor(
    readonly account: Account,
    readonly options: ClientOptions,
  ) {
    this.machineClock = options.clock ?? systemClock;
    this.cancellation = options.cancellation ?? new Cancellation();
    this.accounts = options.accounts ?? new SharedAccounts();
    this.tokens = new Tokens(account, () => this.shared.clock, this.cancellation);
  }

  /**
   * The account at the service, which may have other names too. Until {@link learnAccount}, it is identified by its
   * credentials: only a token shows which account it is.
   */
  get shared(): SharedAccount {
    const { identity } = this.tokens;
    if (this.newest === undefined || this.newest.identity !== identity) {
      const { machineClock: clock, cancellation } = this;
      const { baseUrl, credentials } = this.account;
      const command = credentials !== undefined && "command" in credentials ? credentials.command : null;
      const account = this.accounts.of(baseUrl, identity ?? { command }, { ...this.options, clock, cancellation });
      this.newest = { identity, account };
    }
    return this.newest.account;
  }

  /** Call it before the first request: from then on, `shared` is the account of the token, if there is one. */
  learnAccount(): Promise<void> {
    return (this.learned ??= this.tokens.learnSubject().then(() => undefined));
  }
}

/** The clients of one process, one for each name of an account. Names share only what belongs to one account. */
export class AccountClients {
  private readonly known = new Map<string | undefined, AccountClient>();

  private readonly options: ClientOptions;

  constructor(
    readonly settings: Settings,
    options: ClientOptions,
  ) {
    this.options = { accounts: new SharedAccounts(), ...options };
  }

  /** Passes a finding to the user. Drops lines of the debug log unless the settings turn the log on. */
  readonly report: Report = (finding) => {
    if (finding.severity !== "debug" || this.settings.debug()) this.options.report(finding);
  };

  /**
   * The client of the account with this name; without a name, the client of the stack's own account.
   * @throws SettingsError as `Settings.account` does.
   */
  of(name?: string): AccountClient {
    const account = this.settings.account(name);
    const client = this.known.get(account.name) ?? new AccountClient(account, { ...this.options, report: this.report });
    this.known.set(account.name, client);
    return client;
  }

  /** The client of the account that a declaration names. @throws SettingsError as {@link AccountClients.of} does. */
  declaredBy({ account }: Readonly<Record<string, unknown>>): AccountClient {
    return this.of(typeof account === "string" ? account : undefined);
  }
}
