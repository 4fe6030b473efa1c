import { isObject, parseJson } from "../json.js";
import { sentences } from "../sentences.js";
import { quoted, SettingsError, type ConfigWords, type Found } from "./configWords.js";
import type { ModeRules } from "./mode.js";
import { accountNamePattern, settingsTable, variableOf } from "./table.js";

/** The token, or the command that prints a token. For messages: where either comes from and how to fix it. */
export type Credentials = { readonly from: string; readonly fix: string } & (
  { readonly token: string } | { readonly command: string }
);
/** Credentials, and whether `up` saves them in the state. */
export type FoundCredentials = Credentials & Pick<Found, "isSaved">;

type Members = Readonly<Record<string, unknown>>;

const exampleCommand = "cat /run/secrets/token";

/** How to set the credentials of the stack's own account (unnamed, or named by the setting `account`). */
export const howToSetCredentials = ({ set, setSecret }: ConfigWords): string =>
  `Set the credentials: ${set(["credentialsCommand"], exampleCommand)} (a command that prints a token), or ${setSecret(["token"])}, or the environment variable ${settingsTable.token.variable}.`;

/** How to set the credentials of any other account. */
export const howToSetAccount = (words: ConfigWords, name: string): string =>
  `Set its credentials: ${setCommand(words, name)}, or the environment variable ${variableOf("TOKEN", name)}.`;

const setCommand = ({ set }: ConfigWords, account: string): string =>
  set(["accounts", account, "credentialsCommand"], exampleCommand);

/**
 * Returns the token if it is well-formed. axios silently cleans a bad one (`a\nb` becomes `ab`), and the service would
 * only answer 401. Errors never show the token. `fix` tells the user how to set a better one at the same place.
 */
export function parseToken(token: string, from: string, fix: string): string {
  const problem = /^bearer\s/i.test(token)
    ? 'begins with "Bearer ": give only what comes after that'
    : token === ""
      ? "is empty"
      : /^[\x21-\x7e]+$/.test(token)
        ? undefined
        : "contains a space, a line break or a character that is not allowed in a token";
  if (problem === undefined) return token;
  throw new SettingsError(`The token from ${from} ${problem}.`, fix);
}

/** The settings that an account may have of its own. */
export const accountMembers = [
  "credentialsCommand",
  "token",
  "baseUrl",
  "requestEncoding",
  "timeoutSeconds",
  "jobOperations",
];

/** Reads the setting `accounts`. Errors never show the setting's values: any of them may be a token. */
export function parseAccounts(text: string | undefined, words: ConfigWords): Readonly<Record<string, Members>> {
  if (text === undefined) return {};
  const accounts = parseJson(text);
  if (!isObject(accounts)) {
    throw new SettingsError(
      `${words.name(["accounts"])} is not an object with a member for each account.`,
      `Set an account, for example: ${setCommand(words, "eu")}`,
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

/** Extends the fix for refresh and destroy, which use saved settings but, in mode `create`, need no token. */
export function withWayToUse({ isSaved, ...credentials }: FoundCredentials, { canRead }: ModeRules): Credentials {
  if (!isSaved || !canRead) return credentials;
  const savedByUp =
    "pulumi refresh and pulumi destroy use the settings of the last pulumi up: after the next step, run pulumi up, or add --run-program to the command.";
  return { ...credentials, fix: sentences(savedByUp, credentials.fix) };
}

/** The token or the command. Throws if both are set in one place: it would be unclear which one is used. */
export function tokenOrCommand(token: Found, command: Found): FoundCredentials | undefined {
  if (token.text !== undefined && command.text !== undefined) {
    throw new SettingsError(`${token.from} and ${command.from} are both set.`, "Remove one of the two.");
  }
  if (token.text !== undefined) {
    const { from, isSaved } = token;
    const fix = `Set a working token: ${token.setToken()}`;
    return { from, isSaved, fix, token: parseToken(token.text, from, fix) };
  }
  if (command.text === undefined) return undefined;
  const fix = `Run the command of ${command.from} by hand in the program's folder: it must print a valid token and nothing else.`;
  return { from: command.from, isSaved: command.isSaved, fix, command: command.text };
}
