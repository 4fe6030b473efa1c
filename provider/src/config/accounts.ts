import { isObject, parseJson } from "../json.js";
import type { ConfigWords } from "./configWords.js";
import { quoted, SettingsError } from "./found.js";
import { settingsTable } from "./table.js";
import { accountNamePattern, variableOf } from "./values.js";

type Members = Readonly<Record<string, unknown>>;

const exampleCommand = "cat /run/secrets/token";

/** How the unnamed account gets its credentials. */
export const howToSetCredentials = ({ set, setSecret }: ConfigWords): string =>
  `Set the credentials: ${set(["credentialsCommand"], exampleCommand)} (a command that prints a token), or ${setSecret(["token"])}, or the environment variable ${settingsTable.token.variable}.`;

/** How an account that is not the unnamed one gets its credentials. */
export const howToSetAccount = (words: ConfigWords, name: string): string =>
  `Set its credentials: ${setCommand(words, name)}, or the environment variable ${variableOf("TOKEN", name)}.`;

const setCommand = ({ set }: ConfigWords, account: string): string =>
  set(["accounts", account, "credentialsCommand"], exampleCommand);

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
