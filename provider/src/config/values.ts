import { isObject, parseJson } from "../json.js";
import { accountNamePattern, variableOf } from "./accountName.js";
import type { ConfigWords } from "./configWords.js";
import { malformed, quoted, SettingsError, type Found } from "./found.js";
import { modeNamed, type ModeRules } from "./mode.js";
import { showAddress } from "./showAddress.js";
import { settingsTable } from "./table.js";

type Members = Readonly<Record<string, unknown>>;

const exampleCommand = "cat /run/secrets/token";

/** How the unnamed account gets its credentials. */
export const setCredentials = ({ set, setSecret }: ConfigWords): string =>
  `Set the credentials: ${set(["credentialsCommand"], exampleCommand)} (a command that prints a token), or ${setSecret(["token"])}, or the environment variable ${settingsTable.token.variable}.`;

/** How an account that is not the unnamed one gets its credentials. */
export const setAccount = (words: ConfigWords, name: string): string =>
  `Set its credentials: ${setCommand(words, name)}, or the environment variable ${variableOf("TOKEN", name)}.`;

const setCommand = ({ set }: ConfigWords, account: string): string =>
  set(["accounts", account, "credentialsCommand"], exampleCommand);

/** The form in which base addresses are compared and saved: no trailing slash, no default port. */
export function parseBaseUrl(found: Found): string {
  const { text } = found;
  const example = "https://jobs.example.com";
  if (text === undefined) {
    throw new SettingsError(
      "The address of the service is not set.",
      `Set it: ${found.set(example)}, or the environment variable ${settingsTable.baseUrl.variable}.`,
    );
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  const plain = url?.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (url === undefined || !secure || !plain) {
    const accepted = "an https address, or http on a loopback address, without user, query and fragment";
    throw malformed(found, showAddress(text), accepted, example);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

export function parseRequestEncoding(found: Found): "typed" | "quoted" {
  const { text } = found;
  if (text === undefined || text === "typed") return "typed";
  if (text === "quoted") return "quoted";
  throw malformed(found, quoted(text), "typed or quoted", "typed");
}

export function parseTimeoutSeconds(found: Found): number {
  const { text = "60" } = found;
  const seconds = Number(text);
  if (/^\d{1,4}$/.test(text) && seconds >= 1 && seconds <= 3600) return seconds;
  throw malformed(found, quoted(text), "a whole number of seconds from 1 to 3600", "60");
}

export function parseMode(found: Found): ModeRules {
  const { text } = found;
  const mode = modeNamed(text);
  if (mode !== undefined) return mode;
  throw malformed(found, quoted(text ?? ""), "create or all", "create");
}

/** Undefined where it is not set. */
export function parseProtect(found: Found): boolean | undefined {
  const { text } = found;
  if (text === undefined) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw malformed(found, quoted(text), "true or false", "true");
}

export function parseAccountName(found: Found): string | undefined {
  const { text } = found;
  if (text === undefined || accountNamePattern.test(text)) return text;
  throw malformed(found, quoted(text), "lower-case letters, digits and single hyphens", "main");
}

/**
 * A token is checked before any request: axios cleans a bad one silently (`a\nb` becomes `ab`), and the service would
 * only answer 401. The token itself is never shown. `fix` says how to give a better one at the same place.
 */
export function parseToken(token: string, from: string, fix: string): string {
  const problem = /^bearer\s/i.test(token)
    ? 'begins with "Bearer "; give the token alone'
    : token === ""
      ? "is empty"
      : /^[\x21-\x7e]+$/.test(token)
        ? undefined
        : "contains a space, a line break or another character that no token has";
  if (problem === undefined) return token;
  throw new SettingsError(`The token from ${from} ${problem}.`, fix);
}

/** What an account may have of its own. */
export const accountMembers = [
  "credentialsCommand",
  "token",
  "baseUrl",
  "requestEncoding",
  "timeoutSeconds",
  "jobOperations",
];

/** The setting `accounts`: its values are never shown, for one of them may be a token. */
export function parseAccounts(text: string | undefined, words: ConfigWords): Readonly<Record<string, Members>> {
  if (text === undefined) return {};
  const accounts = parseJson(text);
  if (!isObject(accounts)) {
    throw new SettingsError(
      `${words.name(["accounts"])} is not an object of accounts by name.`,
      `Set one: ${setCommand(words, "eu")}`,
    );
  }
  return Object.fromEntries(
    Object.entries(accounts).map(([name, members]) => [name, checkAccount(words, name, members)]),
  );
}

function checkAccount(words: ConfigWords, name: string, members: unknown): Members {
  if (!accountNamePattern.test(name)) {
    throw new SettingsError(
      `${words.name(["accounts"])} has an account named ${quoted(name)}. Accepted: lower-case letters, digits and single hyphens.`,
      `Remove it: ${words.remove(["accounts", name])}, then set it under another name: ${setCommand(words, "eu")}`,
    );
  }
  if (!isObject(members)) {
    const from = words.name(["accounts", name]);
    throw new SettingsError(`${from} is not an object.`, `Set its credentials: ${setCommand(words, name)}`);
  }
  for (const [member, value] of Object.entries(members)) {
    const path = ["accounts", name, member];
    if (!accountMembers.includes(member)) {
      throw new SettingsError(
        `${words.name(path)} is not a setting of an account. Accepted: ${accountMembers.join(", ")}.`,
        `Remove it: ${words.remove(path)}`,
      );
    }
    if (typeof value !== "string" && typeof value !== "number") {
      const fix = member === "token" ? words.setSecret(path) : words.set(path, "<value>");
      throw new SettingsError(`${words.name(path)} is not a string.`, `Set it: ${fix}`);
    }
  }
  return members;
}
