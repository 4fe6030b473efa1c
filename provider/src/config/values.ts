import { instantOf } from "../dateTime.js";

/** How to parse a setting, and what errors say if its text is not accepted. */
export interface Parsing<Value> {
  /** The value; undefined if the text is not accepted. */
  readonly parse: (text: string) => Value | undefined;
  /** The value if the setting is not set. */
  readonly unset: Value;
  readonly accepted: string;
  /** The accepted text that an error suggests as a fix. It must never weaken a guard. */
  readonly example: string;
  /** How to show a text that is not accepted. A text that may be a secret must never be shown. */
  readonly show?: (text: string) => string;
}

/** Parses a setting that accepts one of a few words. */
export const word = <const Value, const Unset>(
  values: Readonly<Record<string, Value>>,
  unset: Unset,
  example: string,
) => ({
  parse: (text: string): Value | undefined => (Object.hasOwn(values, text) ? values[text] : undefined),
  unset,
  accepted: Object.keys(values).join(" or "),
  example,
});

/** The address as it is compared and saved: no trailing slash, no default port. Undefined if not accepted. */
export function parseBaseUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  const plain = url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
  return url !== undefined && secure && plain ? `${url.origin}${url.pathname.replace(/\/+$/, "")}` : undefined;
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

export function parseTimeoutSeconds(text: string): number | undefined {
  const seconds = Number(text);
  return /^\d{1,4}$/.test(text) && seconds >= 1 && seconds <= 3600 ? seconds : undefined;
}

/** A date-time in milliseconds; undefined if it is in the future, has no zone or cannot be read. */
export function parsePast(text: string): number | undefined {
  const instant = instantOf(text);
  return instant !== undefined && instant <= Date.now() ? instant : undefined;
}

/** Accepted account names: strict, so that no two names share an environment variable. */
export const accountNamePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** The environment variable that holds the credentials of one account. */
export const variableOf = (what: "TOKEN" | "CREDENTIALS_COMMAND", account: string): string =>
  `DATA_CONNECTIVITY_${what}_${account.toUpperCase().replaceAll("-", "_")}`;

/** The account whose credentials a variable holds; undefined for any other variable. */
export function accountOfVariable(variable: string): string | undefined {
  const [, name] = /^DATA_CONNECTIVITY_(?:TOKEN|CREDENTIALS_COMMAND)_([A-Z0-9]+(?:_[A-Z0-9]+)*)$/.exec(variable) ?? [];
  return name?.toLowerCase().replaceAll("_", "-");
}
