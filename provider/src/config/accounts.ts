import { isObject, parseJson } from "../json.js";
import { sentences } from "../sentences.js";
import { quoted, SettingsError, type ConfigWords, type Found } from "./configWords.js";
import type { ModeRules } from "./mode.js";
import { settingsTable } from "./table.js";
import { accountNamePattern, variableOf } from "./values.js";

/** Credentials: the token or the command, and for messages the place that they come from with the way to set it. */
export type Credentials = { readonly from: string; readonly fix: string } & (
  { readonly token: string } | { readonly command: string }
);
/** The same, and whether the state has them too. */
export type FoundCredentials = Credentials & Pick<Found, "isSaved">;

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

/** With `create`, refresh and destroy send nothing, so that it is only pulumi up that needs a token. */
export function withWayToUse({ isSaved, ...credentials }: FoundCredentials, { canRead }: ModeRules): Credentials {
  if (!isSaved || !canRead) return credentials;
  const savedByUp =
    "Plain pulumi refresh and destroy use the settings of the last pulumi up: after a change run pulumi up first, or add --run-program.";
  return { ...credentials, fix: sentences(savedByUp, credentials.fix) };
}

/** A token or a command: with both in one place it would be open which of them is used. */
export function tokenOrCommand(token: Found, command: Found): FoundCredentials | undefined {
  if (token.text !== undefined && command.text !== undefined) {
    throw new SettingsError(`${token.from} and ${command.from} are both set.`, "Remove one of the two.");
  }
  if (token.text !== undefined) {
    const { from, isSaved } = token;
    const fix = `Set a valid token: ${token.setToken()}`;
    return { from, isSaved, fix, token: parseToken(token.text, from, fix) };
  }
  if (command.text === undefined) return undefined;
  const fix = `Run the command of ${command.from} by hand in the program's folder: it must print a valid token and nothing else.`;
  return { from: command.from, isSaved: command.isSaved, fix, command: command.text };
}
