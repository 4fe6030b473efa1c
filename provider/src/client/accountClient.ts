import { orSettingsError, SettingsError, type Account, type Settings } from "../config/index.js";
import type { Report } from "../finding.js";
import { canonicalJson } from "../json.js";
import { calls, type CallName } from "./calls.js";
import { ServiceClock, systemClock, type Clock } from "./clock.js";
import { Cancellation, cancelledRun, CreateGate } from "./gate.js";
import type { sendOnce } from "./http.js";
import type { Reason } from "./outcomes.js";
import { RateLimit } from "./rateLimit.js";
import { Secrets } from "./reply.js";
import { Tokens } from "./token.js";

/** What the host provides to the client. */
export interface ClientOptions {
  /** Whether the engine of this run is still alive, by a check that begins after the question. */
  isEngineAlive(): Promise<boolean>;
  /** Gets what the user should know, and the lines of the debug log, one for each try of a request. */
  readonly report: Report;
  /** The secrets of the run's resources, which a reply may repeat, whichever job it is about. */
  readonly secrets?: Secrets;
  /** Default: the run cannot be cancelled. */
  readonly cancellation?: Cancellation;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Sends one request. Default: over HTTP. */
  readonly transport?: typeof sendOnce | undefined;
}

/** Where a job is, or a create was sent. */
export interface Place {
  /** The address of the job's service, normalized. */
  readonly baseUrl: string;
  /** The name of the job's account in the settings; absent if no account was named. */
  readonly account: string | undefined;
  /**
   * A digest of the token's issuer and subject; absent if the token lacks them. A token with another digest is of another
   * account or sub-account: a run with it creates no job next to this one, and a job that it cannot see does not count as
   * deleted.
   */
  readonly subject?: string | undefined;
}

/** An account at the service in one run, whatever its names in the settings. */
export interface SharedAccount {
  readonly clock: ServiceClock;
  readonly rateLimit: RateLimit;
  readonly gate: CreateGate;
}

/**
 * The client for one account name in the settings, or for the unnamed account, in one run: its settings and its tokens.
 * Several names may stand for one account.
 */
export class AccountClient {
  readonly tokens: Tokens;
  readonly cancellation: Cancellation;
  readonly machineClock: Clock;
  private learned: Promise<void> | undefined;
  private newest: { readonly identity: string | undefined; readonly account: SharedAccount } | undefined;

  constructor(
    readonly account: Account,
    readonly options: ClientOptions,
    private readonly accounts = new Map<string, SharedAccount>(),
    private readonly named: (name?: string) => AccountClient | undefined = () => undefined,
  ) {
    this.machineClock = options.clock ?? systemClock;
    this.cancellation = options.cancellation ?? new Cancellation();
    this.tokens = new Tokens(account, () => this.shared.clock, this.cancellation);
  }

  /**
   * The account at the service, which may have other names too. Until {@link learnAccount}, it is identified by its
   * credentials: only a token shows which account it is.
   */
  get shared(): SharedAccount {
    const { identity } = this.tokens;
    if (this.newest === undefined || this.newest.identity !== identity) {
      const { baseUrl, credentials } = this.account;
      const command = credentials !== undefined && "command" in credentials ? credentials.command : null;
      const key = canonicalJson([baseUrl, identity ?? { command }]);
      const account = this.accounts.get(key) ?? this.newAccount();
      this.accounts.set(key, account);
      this.newest = { identity, account };
    }
    return this.newest.account;
  }

  /** Where this client sends its requests, apart from the subject of its tokens. */
  get place(): Place {
    const { baseUrl, name } = this.account;
    return { baseUrl, account: name };
  }

  /** The place of the account with a name, if the settings have it; else at this account's address. */
  placeNamed(account: string | undefined): Place {
    return this.named(account)?.place ?? { baseUrl: this.account.baseUrl, account };
  }

  /**
   * Whether the account of a place is this one, by the subject of its token if both are known, or else by its name in the
   * settings. That of an earlier run may have been another name for it. Another subject shows nothing if the settings name
   * today's: the service may have given the account a new one.
   */
  compare(place: Omit<Place, "baseUrl">): "same" | "other" | "unknown" {
    if (place.subject !== undefined && place.subject === this.tokens.subject) return "same";
    const isOther = this.account.subject === undefined && this.hasOtherSubject(place);
    return isOther ? "other" : this.compareName(place.account);
  }

  /** Whether today's token has another subject than a place, as far as both are known. */
  hasOtherSubject({ subject }: Pick<Place, "subject">): boolean {
    const now = this.tokens.subject;
    return subject !== undefined && now !== undefined && subject !== now;
  }

  /** Whether something at a place may be in this account. */
  mayHave(place: Place): boolean {
    return place.baseUrl === this.account.baseUrl && this.compare(place) !== "other";
  }

  /**
   * Whether something at a place may be in this account, or in the one that the settings call so: the service may have given
   * its tokens a new subject.
   */
  mayHaveUnderAnySubject(place: Place): boolean {
    return this.mayHave(place) || this.isNamed(place);
  }

  /** Whether a place is in this account by what its name means in the settings today, whatever its token was. */
  isNamed({ baseUrl, account }: Place): boolean {
    return baseUrl === this.account.baseUrl && this.compareName(account) === "same";
  }

  /**
   * Whether a place may be in another account, once the tokens of both are known: opaque tokens that differ are of two. If
   * the settings no longer give the place's account an address, nothing shows that it is this one.
   */
  async isElsewhere(place: Place): Promise<boolean> {
    await this.learnBoth(place.account);
    return this.compare(place) !== "same";
  }

  /** Learns this account and the one of a name: two names may be of one account, which only the tokens show. */
  async learnBoth(name: string | undefined): Promise<void> {
    await Promise.all([this.learnAccount(), this.named(name)?.learnAccount()]);
  }

  private compareName(name: string | undefined): "same" | "other" | "unknown" {
    if (name === this.account.name) return "same";
    const other = this.named(name);
    if (other === undefined) return "unknown";
    return other.shared === this.shared ? "same" : "other";
  }

  private newAccount(): SharedAccount {
    const clock = new ServiceClock(this.machineClock);
    const rateLimit = new RateLimit(this.machineClock, clock, this.options.report);
    return { clock, rateLimit, gate: new CreateGate(this.cancellation) };
  }

  /** Call it before the first request: from then on, `shared` is the account of the token, if there is one. */
  learnAccount(): Promise<void> {
    return (this.learned ??= this.tokens.learnSubject().then(() => undefined));
  }

  /** Why a request must not be sent. Asked before each try. */
  async whyNotSent(call: CallName): Promise<Reason | undefined> {
    const { onlyReads, command } = calls[call];
    if (onlyReads) return undefined;
    // If the engine is gone, nobody would record the change.
    if (!(await this.options.isEngineAlive()))
      return { what: "The Pulumi engine that called this provider is gone.", fix: `Run ${command} again.` };
    return this.cancellation.isRequested ? cancelledRun : undefined;
  }
}

/** The clients of one process, one for each name of an account. Names share only what belongs to one account. */
export class AccountClients {
  private readonly known = new Map<string | undefined, AccountClient>();
  private readonly accounts = new Map<string, SharedAccount>();
  /** The secrets of the run's resources: no message about any account shows them. */
  readonly secrets = new Secrets();
  private readonly said = new Set<string>();

  constructor(
    readonly settings: Settings,
    private readonly options: ClientOptions,
  ) {}

  /**
   * Passes a finding to the user: one about the whole run only once. Drops lines of the debug log unless the settings turn the
   * log on.
   */
  readonly report: Report = (finding) => {
    const { severity, about, text } = finding;
    if (severity === "debug" ? !this.settings.debug() : about === undefined && this.said.has(text)) return;
    this.said.add(text);
    this.options.report(finding);
  };

  /**
   * The client of the account with this name; without a name, the client of the stack's own account.
   * @throws SettingsError as `Settings.account` does.
   */
  of(name?: string): AccountClient {
    const account = this.settings.account(name);
    const client =
      this.known.get(account.name) ??
      new AccountClient(
        account,
        { ...this.options, report: this.report, secrets: this.secrets },
        this.accounts,
        this.find,
      );
    this.known.set(account.name, client);
    return client;
  }

  /** The same; undefined if the settings have no such account, or are malformed. */
  readonly find = (name?: string): AccountClient | undefined => {
    const found = orSettingsError(() => this.of(name));
    return found instanceof SettingsError ? undefined : found;
  };

  /** The client of the account that a declaration names. @throws SettingsError as {@link AccountClients.of} does. */
  declaredBy({ account }: Readonly<Record<string, unknown>>): AccountClient {
    return this.of(typeof account === "string" ? account : undefined);
  }
}
