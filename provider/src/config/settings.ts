import { instantOf } from "../dateTime.js";
import { sentences } from "../sentences.js";
import { accountOfVariable, variableOf } from "./accountName.js";
import { stackConfiguration, type ConfigWords } from "./configWords.js";
import { inConfig, inVariable, malformed, quoted, SettingsError, type Found } from "./found.js";
import type { ModeRules } from "./mode.js";
import { namespace, settingsTable, type Setting } from "./table.js";
import * as values from "./values.js";

/** Where stack configuration is read: by full key (`data-connectivity:baseUrl`), object values as JSON text. */
export interface StackConfig {
  get(fullKey: string): string | undefined;
}

/** Credentials: the token or the command, and for messages the place that they come from with the way to set it. */
export type Credentials = { readonly from: string; readonly fix: string } & (
  { readonly token: string } | { readonly command: string }
);
type FoundCredentials = Credentials & Pick<Found, "isSaved">;

/** One account as it stands today: where its jobs are made, and with what. */
export interface Account {
  readonly name: string | undefined;
  readonly baseUrl: string;
  readonly requestEncoding: "typed" | "quoted";
  readonly timeoutSeconds: number;
  readonly mode: ModeRules;
  /** Undefined where none are configured: a token is needed only when a request is made. */
  readonly credentials: Credentials | undefined;
  /** How to set the credentials, for the message when they are missing. */
  readonly setCredentials: string;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Name = keyof typeof settingsTable;
/** What an account may have of its own. */
type Individual = "baseUrl" | "requestEncoding" | "timeoutSeconds" | "jobOperations";

/** The settings as one process sees them; each is checked when it is asked for. */
export class Settings {
  /** Every hook of every resource asks for its account, and nothing changes it while a process runs. */
  private readonly accounts = new Map<string | undefined, Account>();

  constructor(
    private readonly config: StackConfig,
    private readonly environment: Environment = process.env,
    readonly words: ConfigWords = stackConfiguration,
  ) {}

  /**
   * The account that a job belongs to: the one it names, or else the one of the setting `account`, or the unnamed one.
   * @throws SettingsError for an account without any setting, and for a malformed setting of this account.
   */
  account(declared?: string): Account {
    const known = this.accounts.get(declared) ?? this.readAccount(declared);
    this.accounts.set(declared, known);
    return known;
  }

  private readAccount(declared: string | undefined): Account {
    const own = this.ownAccount();
    const name = declared ?? own;
    const members = this.accountMembers()[name ?? ""] ?? {};
    const credentials = this.credentialsOf(name, own, members);
    if (name !== own && credentials === undefined && Object.keys(members).length === 0) {
      throw new SettingsError(`No setting names the account ${quoted(name ?? "")}.`, this.setAccount(name ?? ""));
    }
    const find = (key: Individual): Found => this.findFor(name, key);
    const mode = values.parseMode(find("jobOperations"));
    return {
      name,
      baseUrl: values.parseBaseUrl(find("baseUrl")),
      requestEncoding: values.parseRequestEncoding(find("requestEncoding")),
      timeoutSeconds: values.parseTimeoutSeconds(find("timeoutSeconds")),
      mode,
      credentials: credentials && withWayToUse(credentials, mode),
      setCredentials: name === own ? values.setCredentials(this.words) : this.setAccount(name ?? ""),
    };
  }

  /** The names of all accounts that have settings; undefined stands for the unnamed one. */
  accountNames(): (string | undefined)[] {
    const own = this.ownAccount();
    const configured = Object.keys(this.accountMembers());
    const inEnvironment = Object.keys(this.environment)
      .filter((variable) => this.fromEnvironment(variable) !== undefined)
      .flatMap((variable) => accountOfVariable(variable) ?? []);
    const named = [...new Set([...configured, ...inEnvironment])].filter((name) => name !== own);
    const onlyNamed = own === undefined && named.length > 0 && this.credentialsAtTop() === undefined;
    return onlyNamed ? named : [own, ...named];
  }

  /** The mode of an account; its other settings need not be in order. */
  mode(declared?: string): ModeRules {
    return values.parseMode(this.findFor(declared ?? this.ownAccount(), "jobOperations"));
  }

  /** Whether jobs are protected against leaving the stack; undefined where the setting is not set. */
  protect(): boolean | undefined {
    return values.parseProtect(this.find("protect"));
  }

  /** Unconfirmed creates that were sent before this instant, in milliseconds, may be resent in this run. */
  resendUnconfirmedBefore(): number | undefined {
    const found = this.find("resendUnconfirmedBefore");
    if (found.text === undefined) return undefined;
    const instant = instantOf(found.text);
    if (instant !== undefined && instant <= Date.now()) return instant;
    const accepted = `a date-time with a zone that is not in the future; now it is ${new Date().toISOString()}`;
    throw malformed(found, quoted(found.text), accepted, '"$(date -u +%Y-%m-%dT%H:%M:%SZ)"');
  }

  /** Whether each request is logged. */
  debug(): boolean {
    return this.find("log").text === "debug";
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
    const own = this.accountMembers()[account ?? ""]?.[key];
    return own === undefined ? this.find(key) : inConfig(this.words, ["accounts", account ?? "", key], textOf(own));
  }

  private inConfig(key: string): Found {
    return inConfig(this.words, [key], this.config.get(`${namespace}:${key}`));
  }

  private accountMembers() {
    return values.parseAccounts(this.find("accounts").text, this.words);
  }

  private setAccount(name: string): string {
    return values.setAccount(this.words, name);
  }

  private ownAccount(): string | undefined {
    return values.parseAccountName(this.find("account"));
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
        oneOf(variable("TOKEN"), variable("CREDENTIALS_COMMAND")) ??
        oneOf(member("token"), member("credentialsCommand"));
      if (found !== undefined) return found;
    }
    return name === own ? this.credentialsAtTop() : undefined;
  }

  private credentialsAtTop(): FoundCredentials | undefined {
    const [token, command] = [settingsTable.token, settingsTable.credentialsCommand];
    const variable = (setting: { variable: string }) =>
      inVariable(setting.variable, this.fromEnvironment(setting.variable));
    return oneOf(variable(token), variable(command)) ?? oneOf(this.inConfig(token.key), this.inConfig(command.key));
  }
}

/** `pulumi config set --path` turns a value that looks like a number into one. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/** With `create`, refresh and destroy send nothing, so that it is only pulumi up that needs a token. */
function withWayToUse({ isSaved, ...credentials }: FoundCredentials, { canRead }: ModeRules): Credentials {
  if (!isSaved || !canRead) return credentials;
  const savedByUp =
    "Plain pulumi refresh and destroy use the settings of the last pulumi up: after a change run pulumi up first, or add --run-program.";
  return { ...credentials, fix: sentences(savedByUp, credentials.fix) };
}

/** A token or a command: with both in one place it would be open which of them is used. */
function oneOf(token: Found, command: Found): FoundCredentials | undefined {
  if (token.text !== undefined && command.text !== undefined) {
    throw new SettingsError(`${token.from} and ${command.from} are both set.`, "Remove one of the two.");
  }
  if (token.text !== undefined) {
    const { from, isSaved } = token;
    const fix = `Set it: ${token.setToken()}`;
    return { from, isSaved, fix, token: values.parseToken(token.text, from, fix) };
  }
  if (command.text === undefined) return undefined;
  const fix = `Run the command of ${command.from} by hand in the program's folder: it must print a valid token and nothing else.`;
  return { from: command.from, isSaved: command.isSaved, fix, command: command.text };
}
