import { accountOfVariable, namespace, settingsTable, type Setting, type Settings } from "../config/index.js";
import { redact } from "../client/redact.js";
import { isObject, parseJson } from "../json.js";
import type { Source } from "./stackConfig.js";

type Name = keyof typeof settingsTable;
const names = Object.keys(settingsTable).filter((name): name is Name => name in settingsTable);

/** Credentials in either form; a command may hold a password of its own. */
const credentials = new Set(["token", "credentialsCommand"]);

/** A row for each setting: its name, what it is, and where that comes from. Secrets are "present" and never more. */
export function settingRows(settings: Settings, source: Source, environment: NodeJS.ProcessEnv): string[][] {
  return names
    .flatMap((name) => {
      const { text, from } = settings.find(name);
      const setting: Setting = settingsTable[name];
      if (text === undefined) return [[setting.key ?? from, absent(setting), ""]];
      if (name === "accounts") return accountRows(text, from);
      return [[setting.key ?? from, shown(name, text, source.isSecret(from)), from]];
    })
    .concat(accountVariables(environment));
}

const absent = ({ default: value }: Setting): string =>
  value.startsWith("`")
    ? `${value.replaceAll("`", "")} (default)`
    : /^\d/.test(value)
      ? `${value} (default)`
      : "not set";

function shown(name: string, text: string, secret: boolean): string {
  if (secret || credentials.has(name)) return "present";
  if (name !== "baseUrl") return short(text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // An address may hold a password, or a token in its query.
  return url === undefined || (url.username === "" && url.password === "" && url.search === "" && url.hash === "")
    ? short(text)
    : `${url.protocol}//…@${url.host}`;
}

const short = (text: string): string => redact(text.length > 100 ? `${text.slice(0, 99)}…` : text, []);

function accountRows(text: string, from: string): string[][] {
  const accounts = parseJson(text);
  if (!isObject(accounts)) return [["accounts", "not an object of accounts by name", from]];
  return Object.entries(accounts).flatMap(([account, members]) =>
    Object.entries(isObject(members) ? members : {}).map(([member, value]) => [
      `accounts.${account}.${member}`,
      shown(member, String(value), false),
      `${namespace}:accounts`,
    ]),
  );
}

const accountVariables = (environment: NodeJS.ProcessEnv): string[][] =>
  Object.entries(environment).flatMap(([variable, value]) => {
    const account = value === "" ? undefined : accountOfVariable(variable);
    const member = variable.includes("_TOKEN_") ? "token" : "credentialsCommand";
    return account === undefined ? [] : [[`accounts.${account}.${member}`, "present", variable]];
  });
