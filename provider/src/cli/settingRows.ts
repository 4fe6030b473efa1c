import { accountOfVariable, modes, settingsTable, showAddress, type Setting, type Settings } from "../config/index.js";
import { redact } from "../client/reply.js";
import { isObject, membersOf, parseJson } from "../json.js";
import { shortened } from "../sentences.js";
import type { Source } from "./stackSettings.js";

type Name = keyof typeof settingsTable;
const names = Object.keys(settingsTable).filter((name): name is Name => name in settingsTable);

/** A row for each setting: its name, value and origin. The value of a secret is shown as "present". */
export function settingRows(env: NodeJS.ProcessEnv, settings: Settings, { isSecret }: Source): string[][] {
  const rows = names.flatMap((name) => {
    const { text, path, words } = settings.find(name);
    const from = words.name(path);
    const setting: Setting = settingsTable[name];
    if (text === undefined) return [[setting.key ?? from, showDefault(name, setting, settings), ""]];
    if (name === "accounts") return accountRows(text, from);
    return [[setting.key ?? from, isSecret(from) ? "present" : shownValue(name, text), from]];
  });
  return [...rows, ...accountVariables(env)];
}

function showDefault(name: Name, { default: text }: Setting, settings: Settings): string {
  // Only the default of `protect` depends on another setting.
  if (name === "protect") {
    const { options } = settingsTable.jobOperations.parse(settings.find("jobOperations").text ?? "") ?? modes.create;
    return `${String(options.protect === true)} (default)`;
  }
  return /^[`\d]/.test(text) ? `${text.replaceAll("`", "")} (default)` : "not set";
}

function shownValue(name: string, text: string): string {
  // An unknown name may be a mistyped `token`, and a credentialsCommand may contain a password.
  if (!Object.hasOwn(settingsTable, name) || name === "token" || name === "credentialsCommand") return "present";
  return name === "baseUrl" ? showAddress(text) : redact(shortened(text, 100), []);
}

function accountRows(text: string, from: string): string[][] {
  const accounts = parseJson(text);
  if (!isObject(accounts)) return [["accounts", "not an object", from]];
  return Object.entries(accounts).flatMap(([account, members]) =>
    Object.entries(membersOf(members)).map(([member, value]) => [
      `accounts.${account}.${member}`,
      shownValue(member, String(value)),
      from,
    ]),
  );
}

const accountVariables = (env: NodeJS.ProcessEnv): string[][] =>
  Object.entries(env).flatMap(([variable, value]) => {
    const account = value === "" ? undefined : accountOfVariable(variable);
    const member = variable.includes("_TOKEN_") ? "token" : "credentialsCommand";
    return account === undefined ? [] : [[`accounts.${account}.${member}`, "present", variable]];
  });
