import {
  howToSetAccount,
  howToSetCredentials,
  parseAccounts,
  tokenOrCommand,
  type Account,
  type Credentials,
} from "./accounts.js";
import {
  quoted,
  SettingsError,
  stackConfiguration,
  type ConfigWords,
  type Found,
  type SettingPath,
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
type Individual = "baseUrl" | "requestEncoding" | "timeoutSeconds" | "jobOperations";

/** The settings of one process. Each is read and checked at its first use. */
export class Settings {
  /** Cached: every hook of every resource asks for its account, and settings do not change while a process runs. */
  private readonly known = new Map<string | undefined, Account>();
  private readonly modes = new Map<string | undefined, ModeRules>();

  constructor(
    private readonly config: StackConfig,
    private readonly environment: Environment = process.env,
    readonly words: ConfigWords = stackConfiguration,
  ) {}

  /** Whether jobs are protected from deletion, replacement and leaving the stack; undefined if not set. */
  readonly protect = once(() => valueOf(settingsTable.protect, this.find("protect")));

  /** Unconfirmed creates that were sent before this time, in milliseconds, may be resent in this run. */
  readonly resendUnconfirmedBefore = once(() =>
    valueOf(settingsTable.resendUnconfirmedBefore, this.find("resendUnconfirmedBefore")),
  );

  /** Whether each request is logged. */
  readonly debug = once(() => this.find("log").text === "debug");

  private readonly ownAccount = once(() => valueOf(settingsTable.account, this.find("account")));

  private readonly accounts = once(() => parseAccounts(this.find("accounts").text, this.words));

  /**
   * The account of a job: the one that the job names, else the one in the setting `account`, else the unnamed one.
   * @throws SettingsError if the account has no settings, its address is missing, or a setting is malformed.
   */
  account(declared?: string): Account {
    const known = this.known.get(declared) ?? this.readAccount(declared);
    this.known.set(declared, known);
    return known;
  }

  private readAccount(declared: string | undefined): Account {
    const { words } = this;
    const own = this.ownAccount();
    const name = declared ?? own;
    const members = this.accounts()[name ?? ""] ?? {};
    const credentials = this.credentialsOf(name, own, members);
    if (name !== own && credentials === undefined && Object.keys(members).length === 0) {
      throw new SettingsError(
        `No setting names the account ${quoted(name ?? "")}.`,
        howToSetAccount(words, name ?? ""),
      );
    }
    const find = (key: Individual): Found => this.findFor(name, key);
    const mode = this.mode(name);
    const baseUrl = valueOf(settingsTable.baseUrl, find("baseUrl"));
    if (baseUrl === undefined) {
      const { example, variable } = settingsTable.baseUrl;
      const fix = `Set it, for example: ${find("baseUrl").set(example)}, or the environment variable ${variable}.`;
      throw new SettingsError("The address of the service is not set.", fix);
    }
    return {
      name,
      baseUrl,
      requestEncoding: valueOf(settingsTable.requestEncoding, find("requestEncoding")),
      timeoutSeconds: valueOf(settingsTable.timeoutSeconds, find("timeoutSeconds")),
      mode,
      credentials,
      get howToSetCredentials() {
        return name === own ? howToSetCredentials(words) : howToSetAccount(words, name ?? "");
      },
    };
  }

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
    const onlyNamed = own === undefined && named.length > 0 && this.credentialsAtTop() === undefined;
    return onlyNamed ? named : [own, ...named];
  }

  /** The mode of an account, even if its address or credentials are missing. */
  mode(declared?: string): ModeRules {
    const known =
      this.modes.get(declared) ??
      valueOf(settingsTable.jobOperations, this.findFor(declared ?? this.ownAccount(), "jobOperations"));
    this.modes.set(declared, known);
    return known;
  }

  /** A setting; the environment wins. Pipelines unset a variable by leaving it empty, so empty means unset. */
  find(name: Name): Found {
    const { variable, key }: Setting = settingsTable[name];
    const found = variable === undefined ? undefined : this.inEnvironment(variable);
    return found !== undefined && (found.text !== undefined || key === undefined) ? found : this.inConfig(key ?? name);
  }

  /** A setting of one account: the account's own value, or else the common value. */
  private findFor(account: string | undefined, key: Individual): Found {
    const own = this.accounts()[account ?? ""]?.[key];
    return own === undefined ? this.find(key) : inConfig(this.words, ["accounts", account ?? "", key], textOf(own));
  }

  private inConfig(key: string): Found {
    return inConfig(this.words, [key], this.config.get(`${namespace}:${key}`));
  }

  private inEnvironment(variable: string): Found {
    const value = this.environment[variable];
    return {
      text: value === "" ? undefined : value,
      from: variable,
      isSaved: false,
      set: (value) => `export ${variable}=${value}`,
      setToken: () => `export ${variable}=<token>`,
    };
  }

  /** No account uses another's credentials. Credentials that name no account belong to the stack's own account. */
  private credentialsOf(
    name: string | undefined,
    own: string | undefined,
    members: Readonly<Record<string, unknown>>,
  ): Credentials | undefined {
    const canRead = () => this.mode(name).canRead;
    if (name !== undefined) {
      const variable = (what: "TOKEN" | "CREDENTIALS_COMMAND") => this.inEnvironment(variableOf(what, name));
      const member = (what: "token" | "credentialsCommand") =>
        inConfig(this.words, ["accounts", name, what], textOf(members[what]));
      const found =
        tokenOrCommand(variable("TOKEN"), variable("CREDENTIALS_COMMAND"), canRead) ??
        tokenOrCommand(member("token"), member("credentialsCommand"), canRead);
      if (found !== undefined) return found;
    }
    return name === own ? this.credentialsAtTop() : undefined;
  }

  private credentialsAtTop(): Credentials | undefined {
    const { token, credentialsCommand: command } = settingsTable;
    const canRead = () => this.mode().canRead;
    return (
      tokenOrCommand(this.inEnvironment(token.variable), this.inEnvironment(command.variable), canRead) ??
      tokenOrCommand(this.inConfig(token.key), this.inConfig(command.key), canRead)
    );
  }
}

/** Calls `read` once and caches its result. If `read` throws, the next call tries again. */
function once<Value>(read: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => (known ??= { value: read() }).value;
}

/** A number counts as text: `pulumi config set --path` saves a value that looks like a number as a number. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/** A setting, or a member of one, that does not come from the environment. */
const inConfig = (words: ConfigWords, path: SettingPath, text: string | undefined): Found => ({
  text,
  get from() {
    return words.name(path);
  },
  isSaved: true,
  set: (value) => words.set(path, value),
  setToken: () => words.setSecret(path),
});

/** The parsed value of a setting. @throws SettingsError if its text is not accepted. */
function valueOf<Value>({ parse, unset, show = quoted, ...row }: Parsing<Value>, found: Found): Value {
  if (found.text === undefined) return unset;
  const value = parse(found.text);
  if (value !== undefined) return value;
  const what = `${found.from} is ${show(found.text)}. Accepted: ${row.accepted}.`;
  throw new SettingsError(what, `For example: ${found.set(row.example)}`);
}
