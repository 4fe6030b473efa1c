import { instantOf } from "../jobs/dateTime.js";
import { namespace, settingsTable, type Setting } from "./table.js";
import * as values from "./values.js";

/** Where stack configuration is read: by full key (`data-connectivity:baseUrl`), object values as JSON text. */
export interface StackConfig {
  get(fullKey: string): string | undefined;
}

/** Where credentials come from: a place to name in messages, and the token or the command itself. */
export type Credentials =
  { readonly from: string; readonly token: string } | { readonly from: string; readonly command: string };

/** One account as it stands today: where its jobs are made, and with what. */
export interface Account {
  readonly name: string | undefined;
  readonly baseUrl: string;
  readonly requestEncoding: "typed" | "quoted";
  readonly timeoutSeconds: number;
  /** Absent where none are configured: a token is needed only when a request is made. */
  readonly credentials: Credentials | undefined;
  /** How to set the credentials, for the message when they are missing. */
  readonly setCredentials: string;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Name = keyof typeof settingsTable;

/** The settings as one process sees them; each is checked when it is asked for. */
export class Settings {
  constructor(
    private readonly config: StackConfig,
    private readonly environment: Environment = process.env,
  ) {}

  /**
   * The account that a job belongs to: the one it names, or else the one of the setting `account`, or the unnamed one.
   * @throws SettingsError for an account that nothing knows and for any malformed setting of this account.
   */
  account(declared?: string): Account {
    const own = this.ownAccount();
    const name = declared ?? own;
    const members = values.parseAccounts(this.find("accounts").text)[name ?? ""] ?? {};
    const credentials = this.credentialsOf(name, own, members);
    if (name !== own && credentials === undefined && Object.keys(members).length === 0) {
      throw new values.SettingsError(
        `No setting knows the account ${JSON.stringify(name)}. ${values.setAccount(name ?? "")}`,
      );
    }
    const find = (key: "baseUrl" | "requestEncoding" | "timeoutSeconds"): values.Found =>
      members[key] === undefined
        ? this.find(key)
        : { text: textOf(members[key]), from: `${namespace}:accounts.${name ?? ""}.${key}` };
    return {
      name,
      baseUrl: values.parseBaseUrl(find("baseUrl")),
      requestEncoding: values.parseRequestEncoding(find("requestEncoding")),
      timeoutSeconds: values.parseTimeoutSeconds(find("timeoutSeconds")),
      credentials,
      setCredentials: name === own ? values.setCredentials : values.setAccount(name ?? ""),
    };
  }

  /** The names of all accounts that have settings; undefined stands for the unnamed one. */
  accountNames(): (string | undefined)[] {
    const own = this.ownAccount();
    const configured = Object.keys(values.parseAccounts(this.find("accounts").text));
    const inEnvironment = Object.keys(this.environment)
      .filter((variable) => this.fromEnvironment(variable) !== undefined)
      .flatMap((variable) => values.accountOfVariable(variable) ?? []);
    const named = [...new Set([...configured, ...inEnvironment])].filter((name) => name !== own);
    const onlyNamed = own === undefined && named.length > 0 && this.credentialsAtTop() === undefined;
    return onlyNamed ? named : [own, ...named];
  }

  /** Whether jobs are guarded against leaving the stack. */
  protect(): boolean {
    return values.parseProtect(this.find("protect"));
  }

  /** The instant before which jobs in doubt may be sent again in this run, in milliseconds. */
  resendUnconfirmedBefore(): number | undefined {
    const { text, from } = this.find("resendUnconfirmedBefore");
    if (text === undefined) return undefined;
    const instant = instantOf(text);
    if (instant !== undefined && instant <= Date.now()) return instant;
    const accepted = `a date-time with a zone that is not in the future; now it is ${new Date().toISOString()}`;
    throw values.malformed(from, text, accepted, `export ${from}="$(date -u +%Y-%m-%dT%H:%M:%SZ)"`);
  }

  /** Whether each request is to be logged. */
  debug(): boolean {
    return this.find("log").text === "debug";
  }

  /** A setting as it was found: the environment wins, and an empty variable is how pipelines say that there is none. */
  find(name: Name): values.Found {
    const { variable, key }: Setting = settingsTable[name];
    const fromEnvironment = this.fromEnvironment(variable);
    if (variable !== undefined && fromEnvironment !== undefined) return { text: fromEnvironment, from: variable };
    if (key === undefined) return { text: undefined, from: variable ?? name };
    return { text: this.config.get(`${namespace}:${key}`), from: `${namespace}:${key}` };
  }

  private ownAccount(): string | undefined {
    const { text, from } = this.find("account");
    return text === undefined ? undefined : values.parseAccountName(text, from);
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
  ): Credentials | undefined {
    if (name !== undefined) {
      const token = values.variableOf("TOKEN", name);
      const command = values.variableOf("CREDENTIALS_COMMAND", name);
      const from = `${namespace}:accounts.${name}`;
      const found =
        oneOf(
          { text: this.fromEnvironment(token), from: token },
          { text: this.fromEnvironment(command), from: command },
        ) ??
        oneOf(
          { text: textOf(members["token"]), from: `${from}.token` },
          { text: textOf(members["credentialsCommand"]), from: `${from}.credentialsCommand` },
        );
      if (found !== undefined) return found;
    }
    return name === own ? this.credentialsAtTop() : undefined;
  }

  private credentialsAtTop(): Credentials | undefined {
    const [token, command] = [settingsTable.token, settingsTable.credentialsCommand];
    const variable = (setting: { variable: string }) => ({
      text: this.fromEnvironment(setting.variable),
      from: setting.variable,
    });
    const key = (setting: { key: string }) => ({
      text: this.config.get(`${namespace}:${setting.key}`),
      from: `${namespace}:${setting.key}`,
    });
    return oneOf(variable(token), variable(command)) ?? oneOf(key(token), key(command));
  }
}

/** `pulumi config set --path` turns a value that looks like a number into one. */
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/** A token or a command: both in one place would leave open which of them counts. */
function oneOf(token: values.Found, command: values.Found): Credentials | undefined {
  if (token.text !== undefined && command.text !== undefined) {
    throw new values.SettingsError(`${token.from} and ${command.from} are both set. Keep one of the two.`);
  }
  if (token.text !== undefined) return { from: token.from, token: values.parseToken(token.text, token.from) };
  return command.text === undefined ? undefined : { from: command.from, command: command.text };
}
