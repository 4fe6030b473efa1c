import { isObject, parseJson } from "../json.js";
import { SettingsError } from "./found.js";
import type { StackConfig } from "./settings.js";
import { namespace } from "./table.js";

/** The error for a token that is stored in stack configuration in plain text; undefined where there is none. */
export function plainSecret(config: StackConfig, isSecret: (fullKey: string) => boolean): SettingsError | undefined {
  const token = `${namespace}:token`;
  if (config.get(token) !== undefined && !isSecret(token)) return inPlainText(token, "");
  const accounts = `${namespace}:accounts`;
  const members = parseJson(config.get(accounts) ?? "{}");
  if (!isObject(members) || isSecret(accounts)) return undefined;
  const plain = Object.entries(members).find(([, account]) => isObject(account) && "token" in account);
  return plain === undefined ? undefined : inPlainText(`${accounts}.${plain[0]}.token`, "--path ");
}

const inPlainText = (key: string, options: string): SettingsError =>
  new SettingsError(
    `${key} is in plain text.`,
    `Set it again as a secret: pulumi config set --secret ${options}${key}`,
  );
