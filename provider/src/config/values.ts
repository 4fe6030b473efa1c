import { isObject, parseJson } from "../json.js";
import { accountNamePattern, variableOf } from "./accountName.js";
import { inAccount, inKey, inVariable, malformed, quoted, SettingsError, type Found } from "./found.js";
import { jobOperations, type JobOperations } from "./jobOperations.js";
import { showAddress } from "./showAddress.js";
import { namespace, settingsTable } from "./table.js";

type Members = Readonly<Record<string, unknown>>;

const exampleCommand = '"cat /run/secrets/token"';

/** How the unnamed account gets its credentials. */
export const setCredentials = `Set the credentials: ${inKey("credentialsCommand", undefined).set(exampleCommand)} (a command that prints a token), or pulumi config set --secret ${namespace}:token, or the environment variable ${settingsTable.token.variable}.`;

/** How an account that is not the unnamed one gets its credentials. */
export const setAccount = (name: string): string =>
  `Set its credentials: ${inAccount(name, "credentialsCommand", undefined).set(exampleCommand)}, or the environment variable ${variableOf("TOKEN", name)}.`;

/** The form in which base addresses are compared and saved: no trailing slash, no default port. */
export function parseBaseUrl(found: Found): string {
  const { text } = found;
  const example = "https://jobs.example.com";
  if (text === undefined) {
    throw new SettingsError(
      "The address of the service is not set.",
      `Set it: ${inKey("baseUrl", undefined).set(example)}, or the environment variable ${settingsTable.baseUrl.variable}.`,
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

export function parseJobOperations(found: Found): JobOperations {
  const { text = "create" } = found;
  if (text === "create" || text === "all") return jobOperations[text];
  throw malformed(found, quoted(text), "create or all", "create");
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
export function parseAccounts(text: string | undefined): Readonly<Record<string, Members>> {
  if (text === undefined) return {};
  const accounts = parseJson(text);
  if (!isObject(accounts)) {
    throw new SettingsError(
      `${namespace}:accounts is not an object of accounts by name.`,
      `Set one: ${inAccount("eu", "credentialsCommand", undefined).set(exampleCommand)}`,
    );
  }
  return Object.fromEntries(Object.entries(accounts).map(([name, members]) => [name, checkAccount(name, members)]));
}

function checkAccount(name: string, members: unknown): Members {
  const from = `${namespace}:accounts.${name}`;
  if (!accountNamePattern.test(name)) {
    throw new SettingsError(
      `${namespace}:accounts has an account named ${quoted(name)}. Accepted: lower-case letters, digits and single hyphens.`,
      `Rename it: pulumi config rm --path '${namespace}:accounts["${name}"]', then ${inAccount("eu", "credentialsCommand", undefined).set(exampleCommand)}`,
    );
  }
  if (!isObject(members)) {
    const { set } = inAccount(name, "credentialsCommand", undefined);
    throw new SettingsError(`${from} is not an object.`, `Set its credentials: ${set(exampleCommand)}`);
  }
  for (const [member, value] of Object.entries(members)) {
    if (!accountMembers.includes(member)) {
      throw new SettingsError(
        `${from}.${member} is not a setting of an account. Accepted: ${accountMembers.join(", ")}.`,
        `Remove it: pulumi config rm --path ${from}.${member}`,
      );
    }
    if (typeof value !== "string" && typeof value !== "number") {
      const secret = member === "token" ? "--secret " : "";
      throw new SettingsError(
        `${from}.${member} is not a string.`,
        `Set it: pulumi config set --path ${secret}${from}.${member} <value>`,
      );
    }
  }
  return members;
}

/** How a malformed token is replaced at the place where it was found. */
export function tokenFix(found: Found): string {
  return found.from.startsWith(`${namespace}:`)
    ? `Set it: pulumi config set --secret ${found.from.includes(".") ? "--path " : ""}${found.from}`
    : `Set it: ${inVariable(found.from, undefined).set("<token>")}`;
}
