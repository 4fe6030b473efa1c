import {
  howToSetAccount,
  howToSetCredentials,
  tokenOrCommand,
  parseAccounts,
  withWayToUse,
  type Credentials,
  type FoundCredentials,
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
import { namespace, settingsTable, type Setting } from "./table.js";
import { accountOfVariable, variableOf, type Parsing } from "./values.js";

/** Where stack configuration is read: by full key (`data-connectivity:baseUrl`), object values as JSON text. */
export interface StackConfig {
  get(fullKey: string): string | undefined;
}

/** One account as it stands today: where its jobs are made, and with what. */
export interface Account {
  readonly name: string | undefined;
  readonly baseUrl: string;
  readonly requestEncoding: "typed" | "quoted";
  readonly timeoutSeconds: number;
  readonly mode: ModeRules;
  /** Undefined if none are configured: a token is needed only when a request is made. */
  readonly credentials: Credentials | undefined;
  /** How to set the credentials, for the message when they are missing. */
  readonly howToSetCredentials: string;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Name = keyof typeof settingsTable;
/** What an account may have of its own. */
type Individual = "baseUrl" | "requestEncoding" | "timeoutSeconds" | "jobOperations";

/** The settings as one process sees them; each is checked when it is asked for, and read once. */
export class Settings {
  /** Every hook of every resource asks for these, and nothing changes them while a process runs. */
  private readonly known = new Map<string | undefined, Account>();
  private readonly modes = new Map<string | undefined, ModeRules>();

  constructor(
    private readonly config: StackConfig,
    private readonly environment: Environment = process.env,
    readonly words: ConfigWords = stackConfiguration,
  ) {}

  /** Whether jobs are protected against leaving the stack; undefined if the setting is not set. */
  readonly protect = once(() => valueOf(settingsTable.protect, this.find("protect")));

  /** Unconfirmed creates that were sent before this instant, in milliseconds, may be resent in this run. */
  readonly resendUnconfirmedBefore = once(() =>
    valueOf(settingsTable.resendUnconfirmedBefore, this.find("resendUnconfirmedBefore")),
  );

  /** Whether each request is logged. */
  readonly debug = once(() => this.find("log").text === "debug");

  private readonly ownAccount = once(() => valueOf(settingsTable.account, this.find("account")));

  private readonly accounts = once(() => parseAccounts(this.find("accounts").text, this.words));

  /**
   * The account that a job belongs to: the one it names, or else the one of the setting `account`, or the unnamed one.
   * @throws SettingsError for an account without any setting, and for a malformed setting of this account.
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
      const fix = `Set it: ${find("baseUrl").set(example)}, or the environment variable ${variable}.`;
      throw new SettingsError("The address of the service is not set.", fix);
    }
    return {
      name,
      baseUrl,
      requestEncoding: valueOf(settingsTable.requestEncoding, find("requestEncoding")),
      timeoutSeconds: valueOf(settingsTable.timeoutSeconds, find("timeoutSeconds")),
      mode,
      credentials: credentials && withWayToUse(credentials, mode),
      get howToSetCredentials() {
        return name === own ? howToSetCredentials(words) : howToSetAccount(words, name ?? "");
      },
    };
  }

  /** The names of all accounts that have settings; undefined stands for the unnamed one. */
  accountNames(): (string | undefined)[] {
    const own = this.ownAccount();
    const configured = Object.keys(this.accounts());
    const inEnvironment = Object.keys(this.environment)
      .filter((variable) => this.fromEnvironment(variable) !== undefined)
      .flatMap((variable) => accountOfVariable(variable) ?? []);
    const named = [...new Set([...configured, ...inEnvironment])].filter((name) => name !== own);
    const onlyNamed = own === undefined && named.length > 0 && this.credentialsAtTop() === undefined;
    return onlyNamed ? named : [own, ...named];
  }

  /** The mode of an account; its other settings need not be in order. */
  mode(declared?: string): ModeRules {
    const known =
      this.modes.get(declared) ??
      valueOf(settingsTable.jobOperations, this.findFor(declared ?? this.ownAccount(), "jobOperations"));
    this.modes.set(declared, known);
    return known;
  }

  /** A setting as it was found: the environment wins, and pipelines unset a variable by leaving it empty. */
  find(name: Name): Found {
    const { variable, key }: Setting = settingsTable[name];
    const fromEnvironment = this.fromEnvironment(variable);
    if (variable !== undefined && (fromEnvironment !== undefined || key === undefined)) {
      return inVariable(variable, fromEnvironment);
    }
    return this.inConfig(key ?? name);
  }

  /** A setting of one account: its own, or else that of all. */
  private findFor(account: string | undefined, key: Individual): Found {
    const own = this.accounts()[account ?? ""]?.[key];
    return own === undefined ? this.find(key) : inConfig(this.words, ["accounts", account ?? "", key], textOf(own));
  }

  private inConfig(key: string): Found {
    return inConfig(this.words, [key], this.config.get(`${namespace}:${key}`));
  }

  private fromEnvironment(variable: string | undefined): string | undefined {
    const value = variable === undefined ? undefined : this.environment[variable];
    return value === "" ? undefined : value;
  }

  /** One account's credentials are never used for another: the unnamed ones serve their own account alone. */
  private credentialsOf(
    name: string | undefined,
    own: string | undefined,
    members: Readonly<Record<string, unknown>>,
  ): FoundCredentials | undefined {
    if (name !== undefined) {
      const variable = (what: "TOKEN" | "CREDENTIALS_COMMAND") =>
        inVariable(variableOf(what, name), this.fromEnvironment(variableOf(what, name)));
      const member = (what: "token" | "credentialsCommand") =>
        inConfig(this.words, ["accounts", name, what], textOf(members[what]));
      const found =
        tokenOrCommand(variable("TOKEN"), variable("CREDENTIALS_COMMAND")) ??
        tokenOrCommand(member("token"), member("credentialsCommand"));
      if (found !== undefined) return found;
    }
    return name === own ? this.credentialsAtTop() : undefined;
  }

  private credentialsAtTop(): FoundCredentials | undefined {
    const [token, command] = [settingsTable.token, settingsTable.credentialsCommand];
    const variable = (setting: { variable: string }) =>
      inVariable(setting.variable, this.fromEnvironment(setting.variable));
    return (
      tokenOrCommand(variable(token), variable(command)) ??
      tokenOrCommand(this.inConfig(token.key), this.inConfig(command.key))
    );
  }
}

/** What is read once; an error is thrown each time. */
function once<Value>(read: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => (known ??= { value: read() }).value;
}

/** `pulumi config set --path` turns a value that looks like a number into one. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

const inVariable = (variable: string, text: string | undefined): Found => ({
  text,
  from: variable,
  isSaved: false,
  set: (value) => `export ${variable}=${value}`,
  setToken: () => `export ${variable}=<token>`,
});

/** A setting that is not in the environment, or a member of one. */
const inConfig = (words: ConfigWords, path: SettingPath, text: string | undefined): Found => ({
  text,
  get from() {
    return words.name(path);
  },
  isSaved: true,
  set: (value) => words.set(path, value),
  setToken: () => words.setSecret(path),
});

/** The value of a setting. @throws SettingsError for a text that is not accepted. */
function valueOf<Value>({ parse, unset, show = quoted, ...row }: Parsing<Value>, found: Found): Value {
  if (found.text === undefined) return unset;
  const value = parse(found.text);
  if (value !== undefined) return value;
  const what = `${found.from} is ${show(found.text)}. Accepted: ${row.accepted}.`;
  throw new SettingsError(what, `Set it: ${found.set(row.example)}`);
}
