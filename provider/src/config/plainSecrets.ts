import { isObject, parseJson } from "../json.js";
import type { StackConfig } from "./settings.js";
import { SettingsError, stackConfiguration, type SettingPath } from "./configWords.js";
import { namespace } from "./table.js";

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
