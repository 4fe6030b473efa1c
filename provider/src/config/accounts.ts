import { isObject, parseJson } from "../json.js";
import { sentences } from "../sentences.js";
import { environmentVariables, quoted, SettingsError, type ConfigWords, type Found } from "./configWords.js";
import type { ModeRules } from "./mode.js";
import { accountNamePattern, settingsTable, variableOf } from "./table.js";

/** The token, or the command that prints a token. For messages: where either comes from and how to fix it. */
export type Credentials = { readonly from: string; readonly fix: string } & (
  { readonly token: string } | { readonly command: string }
);

/** The subject that an account's tokens must have. */
export interface ExpectedSubject {
  readonly id: string;
  /** The setting's name in messages. */
  readonly from: string;
  /** How to set another subject. */
  readonly set: (id: string) => string;
}

/** An account with its current settings: where its jobs are created, and how. */
export interface Account {
  readonly name: string | undefined;
  readonly baseUrl: string;
  /** How messages name the setting that has the address. */
  readonly baseUrlFrom: string;
  readonly requestEncoding: "typed" | "quoted";
  readonly timeoutSeconds: number;
  /** How long one request may wait for a rate limit or a locked job. */
  readonly rateLimitSeconds: number;
  readonly mode: ModeRules;
  /** Undefined if no credentials are configured: only requests need a token. */
  readonly credentials: Credentials | undefined;
  /** Undefined if the account's tokens may have any subject. */
  readonly subject?: ExpectedSubject | undefined;
  /** How to set the credentials, for the message when they are missing. */
  readonly howToSetCredentials: string;
}

type Members = Readonly<Record<string, unknown>>;

const exampleCommand = "cat /run/secrets/token";

/** `other`: an account that is not the stack's own. The own account is unnamed, or named by the setting `account`. */
export const howToSetCredentials = (words: ConfigWords, other?: string): string =>
  other === undefined
    ? `Set the credentials: ${words.set(["credentialsCommand"], exampleCommand)} (a command that prints a token), or ${words.setSecret(["token"])}, or the environment variable ${settingsTable.token.variable}.`
    : `Set its credentials: ${setCommand(words, other)}, or the environment variable ${variableOf("TOKEN", other)}.`;

const setCommand = ({ set }: ConfigWords, account: string): string =>
  set(["accounts", account, "credentialsCommand"], exampleCommand);

const savedByUp =
  "After you correct the token, run pulumi up first: pulumi refresh and pulumi destroy use the settings of the last pulumi up. Or run them with --run-program.";

/**
 * The credentials of one place; undefined if neither the token nor the command is set there.
 * @throws SettingsError if both are set, because it would be unclear which one is used, or if the token is malformed.
 */
export function credentialsIn(token: Found, command: Found, { canRead }: ModeRules): Credentials | undefined {
  const nameOf = ({ path, words }: Found) => words.name(path);
  if (token.text !== undefined && command.text !== undefined)
    throw new SettingsError(`${nameOf(token)} and ${nameOf(command)} are both set.`, "Remove one of the two.");
  const found = token.text === undefined ? command : token;
  const from = nameOf(found);
  // Refresh and destroy use saved settings, but in mode `create` they need no token. The environment is not saved.
  const first = found.words !== environmentVariables && canRead ? savedByUp : "";
  if (token.text !== undefined) {
    const fix = sentences(first, `Set a working token: ${token.words.setSecret(token.path)}`);
    return { token: parseToken(token.text, { from, fix }), from, fix };
  }
  const fix = `Run the command of ${from} by hand in the program's folder: it must print a valid token and nothing else.`;
  return command.text === undefined ? undefined : { command: command.text, from, fix: sentences(first, fix) };
}

/**
 * Returns the token without surrounding white space, if it is well-formed. axios would silently clean a malformed one
 * (`a\nb` becomes `ab`), and the service would just answer 401. Errors never show the token.
 */
export function parseToken(text: string, credentials: Pick<Credentials, "from" | "fix">): string {
  const token = text.trim();
  const problem = problemOf(token);
  if (problem === undefined) return token;
  throw new SettingsError(`The token from ${credentials.from} ${problem}.`, credentials.fix);
}

function problemOf(token: string): string | undefined {
  if (token === "") return "is empty";
  if (/^[{[]/.test(token))
    return `is JSON: give only the token in it, for example by jq -r .${tokenMemberOf(parseJson(token))}`;
  if (/^["'`]|["'`]$/.test(token))
    return "is in quotation marks: give only what is between them (docker --env-file keeps them)";
  if (/^bearer\s/i.test(token)) return 'begins with "Bearer ": give only what comes after that';
  if (/^[\x21-\x7e]+$/.test(token)) return undefined;
  return "contains a space, a line break or a character that is not allowed in a token";
}

/** The member of a token provider's reply that has the token; empty if none is known. */
function tokenMemberOf(reply: unknown): string {
  const known = ["access_token", "accessToken", "id_token", "token"];
  return known.find((name) => isObject(reply) && typeof reply[name] === "string") ?? "";
}

/** The settings that an account may have of its own. */
export const accountMembers = [
  "credentialsCommand",
  "token",
  "subject",
  "baseUrl",
  "requestEncoding",
  "timeoutSeconds",
  "rateLimitSeconds",
  "jobOperations",
];

/** Reads the setting `accounts`. Errors never show the setting's values: any of them may be a token. */
export function parseAccounts(text: string | undefined, words: ConfigWords): Readonly<Record<string, Members>> {
  if (text === undefined) return {};
  const accounts = parseJson(text);
  if (!isObject(accounts))
    throw new SettingsError(
      `${words.name(["accounts"])} is not an object with a member for each account.`,
      `Set an account, for example: ${setCommand(words, "eu")}`,
    );
  return Object.fromEntries(
    Object.entries(accounts).map(([name, members]) => [name, checkAccount(words, name, members)]),
  );
}

function checkAccount(words: ConfigWords, name: string, members: unknown): Members {
  const own = ["accounts", name];
  if (!accountNamePattern.test(name))
    throw new SettingsError(
      `${words.name(["accounts"])} has an account named ${quoted(name)}. Accepted: lower-case letters, digits and single hyphens.`,
      `Remove it: ${words.remove(own)}, then set it under another name: ${setCommand(words, "eu")}`,
    );
  if (!isObject(members))
    throw new SettingsError(`${words.name(own)} is not an object.`, `Set its credentials: ${setCommand(words, name)}`);
  for (const [member, value] of Object.entries(members)) {
    const path = [...own, member];
    if (!accountMembers.includes(member))
      throw new SettingsError(
        `${words.name(path)} is not a setting of an account. Accepted: ${accountMembers.join(", ")}.`,
        `Remove it: ${words.remove(path)}`,
      );
    if (typeof value === "string" || typeof value === "number") continue;
    const fix = member === "token" ? words.setSecret(path) : words.set(path, "<value>");
    throw new SettingsError(`${words.name(path)} is not a string.`, `Set it: ${fix}`);
  }
  return members;
}
