import { isObject, parseJson } from "../json.js";
import { accountNamePattern } from "../jobs/schedule.js";
import { namespace } from "./table.js";

/** A setting that is missing or malformed; the message names it and the command that sets it. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** A setting as it was found: its text and the place to name in a message. */
export interface Found {
  readonly text: string | undefined;
  readonly from: string;
}

type Members = Readonly<Record<string, unknown>>;

/** The command that sets a key in stack configuration. */
export const set = (key: string, value: string, options = ""): string =>
  `pulumi config set ${options}${namespace}:${key} ${value}`;

export const setCredentials = `Set it: ${set("credentialsCommand", '"cat /run/secrets/token"')} (a command that prints a token), or ${set("token", "", "--secret ").trim()}, or the environment variable DATA_CONNECTIVITY_TOKEN.`;

/** How an account that is not the unnamed one gets its credentials. */
export const setAccount = (name: string): string =>
  `Set it: ${set(`accounts.${name}.credentialsCommand`, '"cat /run/secrets/token"', "--path ")}, or the environment variable ${variableOf("TOKEN", name)}.`;

/** The environment variable of one account: no two names share one, for names hold single hyphens only. */
export const variableOf = (what: "TOKEN" | "CREDENTIALS_COMMAND", account: string): string =>
  `DATA_CONNECTIVITY_${what}_${account.toUpperCase().replaceAll("-", "_")}`;

/** The account whose credentials a variable holds; undefined for any other variable. */
export function accountOfVariable(variable: string): string | undefined {
  const [, name] = /^DATA_CONNECTIVITY_(?:TOKEN|CREDENTIALS_COMMAND)_([A-Z0-9]+(?:_[A-Z0-9]+)*)$/.exec(variable) ?? [];
  return name?.toLowerCase().replaceAll("_", "-");
}

export function malformed(from: string, given: string, accepted: string, remedy: string): SettingsError {
  return new SettingsError(
    `${from} is ${JSON.stringify(given.slice(0, 200))}. Accepted: ${accepted}. Set it: ${remedy}`,
  );
}

/** The normalised form in which base addresses are compared and saved: no trailing slash, no default port. */
export function parseBaseUrl({ text, from }: Found): string {
  const remedy = set("baseUrl", "https://jobs.example.com");
  if (text === undefined) {
    throw new SettingsError(
      `The address of the service is not set. Set it: ${remedy}, or the environment variable DATA_CONNECTIVITY_BASE_URL.`,
    );
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (
    url === undefined ||
    !secure ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== "" ||
    url.password !== ""
  ) {
    // A password in the address must not reach a message.
    const shown = url === undefined || url.password === "" ? text : `${url.protocol}//…@${url.host}`;
    throw malformed(
      from,
      shown,
      "an https address, or http on a loopback address, without user, query and fragment",
      remedy,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

export function parseRequestEncoding({ text, from }: Found): "typed" | "quoted" {
  if (text === undefined || text === "typed") return "typed";
  if (text === "quoted") return "quoted";
  throw malformed(from, text, "typed or quoted", set("requestEncoding", "quoted"));
}

export function parseTimeoutSeconds({ text, from }: Found): number {
  const seconds = Number(text ?? "60");
  if (/^\d{1,4}$/.test(text ?? "60") && seconds >= 1 && seconds <= 3600) return seconds;
  throw malformed(from, text ?? "", "a whole number of seconds from 1 to 3600", set("timeoutSeconds", "60"));
}

export function parseProtect({ text, from }: Found): boolean {
  if (text === undefined || text === "true") return true;
  if (text === "false") return false;
  throw malformed(from, text, "true or false", set("protect", "false"));
}

export function parseAccountName(name: string, from: string): string {
  if (accountNamePattern.test(name)) return name;
  throw malformed(from, name, "lower-case letters, digits and single hyphens", set("account", "main"));
}

/**
 * A token is checked before any request: axios cleans a bad one silently (`a\nb` becomes `ab`), and the service would
 * only answer 401. The token itself is never shown.
 */
export function parseToken(token: string, from: string): string {
  const fault = /^bearer\s/i.test(token)
    ? 'begins with "Bearer ": give the token alone'
    : token === ""
      ? "is empty"
      : /^[\x21-\x7e]+$/.test(token)
        ? undefined
        : "holds a space, a line break or another character that no token has";
  if (fault === undefined) return token;
  throw new SettingsError(`The token from ${from} ${fault}. ${setCredentials}`);
}

const accountMembers = ["credentialsCommand", "token", "baseUrl", "requestEncoding", "timeoutSeconds"];

/** The setting `accounts`: its values are never shown, for one of them may be a token. */
export function parseAccounts(text: string | undefined): Readonly<Record<string, Members>> {
  if (text === undefined) return {};
  const from = `${namespace}:accounts`;
  const remedy = `Set it: ${set("accounts.eu.credentialsCommand", '"cat /run/secrets/token-eu"', "--path ")}`;
  const accounts = parseJson(text);
  if (!isObject(accounts)) throw new SettingsError(`${from} is not an object of accounts by name. ${remedy}`);
  return Object.fromEntries(
    Object.entries(accounts).map(([name, members]) => [name, checkAccount(name, members, remedy)]),
  );
}

function checkAccount(name: string, members: unknown, remedy: string): Members {
  const from = `${namespace}:accounts.${name}`;
  parseAccountName(name, `a name in ${namespace}:accounts`);
  if (!isObject(members)) throw new SettingsError(`${from} is not an object. ${remedy}`);
  for (const [member, value] of Object.entries(members)) {
    if (!accountMembers.includes(member)) {
      throw new SettingsError(
        `${from}.${member} is not a setting of an account. Accepted: ${accountMembers.join(", ")}.`,
      );
    }
    if (typeof value !== "string" && typeof value !== "number")
      throw new SettingsError(`${from}.${member} is not a text. ${remedy}`);
  }
  return members;
}
