import { isObject, parseJson } from "../json.js";
import { nearest } from "../nearest.js";
import { SettingsError, stackConfiguration, type ConfigWords, type SettingPath } from "./configWords.js";
import type { StackConfig } from "./settings.js";
import { namespace, settingsTable, type Setting } from "./table.js";

const known = Object.values(settingsTable).flatMap(({ key }: Setting) => key ?? []);

/** One error for each unknown key of our namespace in stack configuration; otherwise mistyped keys would be ignored. */
export const unknownKeys = (fullKeys: readonly string[]): SettingsError[] =>
  unknownSettings(
    fullKeys.filter((key) => key.startsWith(`${namespace}:`)).map((key) => key.slice(namespace.length + 1)),
    stackConfiguration,
  );

/** One error for each unknown key; the keys are without the namespace. */
export function unknownSettings(keys: readonly string[], { name, remove }: ConfigWords): SettingsError[] {
  return keys
    .filter((key) => !known.includes(key))
    .map((key) => {
      const likely = nearest(key, known);
      const accepted = likely === undefined ? `Accepted: ${known.join(", ")}.` : `Did you mean ${name([likely])}?`;
      const fix = `${accepted} Remove the wrong name: ${remove([key])}`;
      return new SettingsError(`${name([key])} is not a setting.`, fix);
    });
}

/** The error for a token that is stored in stack configuration in plain text; undefined if no token is. */
export function plainSecret(config: StackConfig, isSecret: (fullKey: string) => boolean): SettingsError | undefined {
  const token = `${namespace}:token`;
  if (config.get(token) !== undefined && !isSecret(token)) return inPlainText(["token"]);
  const accounts = `${namespace}:accounts`;
  const members = parseJson(config.get(accounts) ?? "{}");
  if (!isObject(members) || isSecret(accounts)) return undefined;
  const plain = Object.entries(members).find(([, account]) => isObject(account) && "token" in account);
  return plain === undefined ? undefined : inPlainText(["accounts", plain[0], "token"]);
}

const inPlainText = (path: SettingPath): SettingsError =>
  new SettingsError(
    `${stackConfiguration.name(path)} is in plain text.`,
    `Set it again as a secret: ${stackConfiguration.setSecret(path)}`,
  );
