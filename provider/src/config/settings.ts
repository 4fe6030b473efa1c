import { credentialsIn, howToSetCredentials, parseAccounts, type Account, type ExpectedSubject } from "./accounts.js";
import {
  environmentVariables,
  quoted,
  SettingsError,
  stackConfiguration,
  type ConfigWords,
  type Found,
} from "./configWords.js";
import type { ModeRules } from "./mode.js";
import { accountOfVariable, namespace, settingsTable, variableOf, type Parsing, type Setting } from "./table.js";

/** Reads stack configuration by full key (`data-connectivity:baseUrl`). Object values are JSON text. */
export interface StackConfig {
  get(fullKey: string): string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Name = keyof typeof settingsTable;
/** Settings that an account may override. */
type Individual = "baseUrl" | "requestEncoding" | "timeoutSeconds" | "rateLimitSeconds" | "jobOperations";

/**
 * The settings of one process. Each is read and checked at its first use, and cached: every hook of every resource asks
 * for its account, and settings do not change while a process runs.
 */
export class Settings {
  constructor(
    private readonly config: StackConfig,
    private readonly environment: Environment = process.env,
    readonly words: ConfigWords = stackConfiguration,
  ) {}

  /** Whether jobs are protected from deletion, replacement and leaving the stack; undefined if not set. */
  readonly protect = cached(() => valueOf(settingsTable.protect, this.find("protect")));

  /** The resources whose unconfirmed create may be resent in this run if it was sent before the time, in milliseconds. */
  readonly resendUnconfirmed = cached(() => valueOf(settingsTable.resendUnconfirmed, this.find("resendUnconfirmed")));

  /** The ids of the jobs that the user found of unconfirmed creates, by the URNs of their resources. */
  readonly adoptUnconfirmed = cached(() => valueOf(settingsTable.adoptUnconfirmed, this.find("adoptUnconfirmed")));

  /** Whether new resources adopt the jobs that match them, in this run. */
  readonly adoptMatching = cached(() => valueOf(settingsTable.adoptMatching, this.find("adoptMatching")));

  /** Whether each request is logged. */
  readonly debug = cached(() => this.find("log").text === "debug");

  private readonly ownAccount = cached(() => valueOf(settingsTable.account, this.find("account")));

  private readonly accounts = cached(() => parseAccounts(this.find("accounts").text, this.words));

  /** Whether any setting is of this account. */
  isKnown(name = this.ownAccount()): boolean {
    const isSet = () => this.credentialsPlace(name) !== undefined || Object.keys(this.membersOf(name)).length > 0;
    return name === this.ownAccount() || isSet();
  }

  /** The mode of an account, even if its address or credentials are missing. */
  readonly mode = cached((declared?: string): ModeRules =>
    valueOf(settingsTable.jobOperations, this.findFor(declared ?? this.ownAccount(), "jobOperations")),
  );

  /**
   * The account of a job: the one that the job names, else the one in the setting `account`, else the unnamed one.
   * @throws SettingsError if the account has no settings, its address is missing, or a setting is malformed.
   */
  readonly account = cached((declared?: string): Account => {
    const { words } = this;
    const own = this.ownAccount();
    const name = declared ?? own;
    const place = this.credentialsPlace(name);
    const howToSet = howToSetCredentials(words, name === own ? undefined : name);
    if (!this.isKnown(name)) throw new SettingsError(`No setting names the account ${quoted(name ?? "")}.`, howToSet);
    const mode = this.mode(name);
    const credentials = place && credentialsIn(...place, mode);
    const address = this.findFor(name, "baseUrl");
    const baseUrl = valueOf(settingsTable.baseUrl, address);
    if (baseUrl === undefined) {
      const { example, variable } = settingsTable.baseUrl;
      const fix = `Set it, for example: ${address.words.set(address.path, example)}, or the environment variable ${variable}.`;
      throw new SettingsError("The address of the service is not set.", fix);
    }
    return {
      name,
      baseUrl,
      baseUrlFrom: address.words.name(address.path),
      requestEncoding: valueOf(settingsTable.requestEncoding, this.findFor(name, "requestEncoding")),
      timeoutSeconds: valueOf(settingsTable.timeoutSeconds, this.findFor(name, "timeoutSeconds")),
      rateLimitSeconds: valueOf(settingsTable.rateLimitSeconds, this.findFor(name, "rateLimitSeconds")),
      mode,
      credentials,
      subject: this.subjectOf(name),
      howToSetCredentials: howToSet,
    };
  });

  /**
   * The names of the stack's own account and of all other accounts with settings; undefined is the unnamed account.
   * The unnamed account is left out if it has no credentials and other accounts have settings.
   */
  accountNames(): (string | undefined)[] {
    const own = this.ownAccount();
    const configured = Object.keys(this.accounts());
    const inEnvironment = Object.keys(this.environment)
      .filter((variable) => this.inEnvironment(variable).text !== undefined)
      .flatMap((variable) => accountOfVariable(variable) ?? []);
    const named = [...new Set([...configured, ...inEnvironment])].filter((name) => name !== own);
    const onlyNamed = own === undefined && named.length > 0 && this.credentialsPlace(undefined) === undefined;
    return onlyNamed ? named : [own, ...named];
  }

  /**
   * Whether the settings themselves configure an account, and not only an environment variable with its token. The unnamed
   * account also counts if there is no other one.
   */
  isOwn(name: string | undefined): boolean {
    const configured = this.accounts();
    if (name !== undefined) return name === this.ownAccount() || Object.hasOwn(configured, name);
    const { token, credentialsCommand } = settingsTable;
    const hasCredentials = [token, credentialsCommand].some(({ key }) => this.inConfig(key).text !== undefined);
    return hasCredentials || Object.keys(configured).length === 0;
  }

  /** A setting; the environment wins. Pipelines unset a variable by leaving it empty, so empty means unset. */
  find(name: Name): Found {
    const { variable, key }: Setting = settingsTable[name];
    const found = variable === undefined ? undefined : this.inEnvironment(variable);
    return found !== undefined && (found.text !== undefined || key === undefined) ? found : this.inConfig(key ?? name);
  }

  /** A setting of one account: the account's own value, or else the common value. */
  private findFor(account: string | undefined, key: Individual): Found {
    const own = this.inAccount(account, key);
    return own.text === undefined ? this.find(key) : own;
  }

  /** The subject of an account's tokens. Accounts do not share a subject, so `subject` alone is the own account's. */
  private subjectOf(account: string | undefined): ExpectedSubject | undefined {
    const ofAccount = this.inAccount(account, "subject");
    const found = ofAccount.text === undefined && account === this.ownAccount() ? this.find("subject") : ofAccount;
    const id = valueOf(settingsTable.subject, found);
    const { path, words } = found;
    return id === undefined ? undefined : { id, from: words.name(path), set: (other) => words.set(path, other) };
  }

  private inConfig(key: string): Found {
    return { text: this.config.get(`${namespace}:${key}`), path: [key], words: this.words };
  }

  /** A number counts as text: `pulumi config set --path` saves a value that looks like a number as a number. */
  private inAccount(account: string | undefined, member: string): Found {
    const value = this.membersOf(account)[member];
    const text = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
    return { text, path: ["accounts", account ?? "", member], words: this.words };
  }

  private inEnvironment(variable: string): Found {
    const value = this.environment[variable];
    return { text: value === "" ? undefined : value, path: [variable], words: environmentVariables };
  }

  private membersOf(account: string | undefined): Readonly<Record<string, unknown>> {
    return this.accounts()[account ?? ""] ?? {};
  }

  /**
   * The place with an account's token or command; undefined if neither is set. No account uses another's credentials.
   * Credentials that name no account belong to the stack's own account.
   */
  private credentialsPlace(account: string | undefined): readonly [token: Found, command: Found] | undefined {
    const { token, credentialsCommand: command } = settingsTable;
    const places: (readonly [Found, Found])[] = [];
    if (account !== undefined) {
      const variable = (what: "TOKEN" | "CREDENTIALS_COMMAND") => this.inEnvironment(variableOf(what, account));
      places.push([variable("TOKEN"), variable("CREDENTIALS_COMMAND")]);
      places.push([this.inAccount(account, "token"), this.inAccount(account, "credentialsCommand")]);
    }
    if (account === this.ownAccount()) {
      places.push([this.inEnvironment(token.variable), this.inEnvironment(command.variable)]);
      places.push([this.inConfig(token.key), this.inConfig(command.key)]);
    }
    return places.find((place) => place.some(({ text }) => text !== undefined));
  }
}

/** Caches what `read` returns for each name. If `read` throws, the next call tries again. */
function cached<Name extends readonly [name?: string], Value>(
  read: (...name: Name) => Value,
): (...name: Name) => Value {
  const known = new Map<string | undefined, { readonly value: Value }>();
  return (...name) => {
    const result = known.get(name[0]) ?? { value: read(...name) };
    known.set(name[0], result);
    return result.value;
  };
}

/** The parsed value of a setting. @throws SettingsError if its text is not accepted. */
function valueOf<Value>({ parse, unset, show = quoted, ...row }: Parsing<Value>, { text, path, words }: Found): Value {
  if (text === undefined) return unset;
  const value = parse(text);
  if (value !== undefined) return value;
  const what = `${words.name(path)} is ${show(text)}. Accepted: ${row.accepted}.`;
  throw new SettingsError(what, `For example: ${words.set(path, row.example)}`);
}
