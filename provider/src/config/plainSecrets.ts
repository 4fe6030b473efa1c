import { isObject, parseJson } from "../json.js";
import type { StackConfig } from "./settings.js";
import { namespace } from "./table.js";

/**
 * What is wrong with a token that lies in stack configuration in plain text, with the command that mends it; undefined
 * where there is none.
 */
export function plainSecret(config: StackConfig, isSecret: (fullKey: string) => boolean): string | undefined {
  const token = `${namespace}:token`;
  if (config.get(token) !== undefined && !isSecret(token)) {
    return `${token} is in plain text. Set it anew as a secret: pulumi config set --secret ${token}`;
  }
  const accounts = `${namespace}:accounts`;
  const members = parseJson(config.get(accounts) ?? "{}");
  if (!isObject(members) || isSecret(accounts)) return undefined;
  const plain = Object.entries(members).find(([, account]) => isObject(account) && "token" in account);
  if (plain === undefined) return undefined;
  const path = `${accounts}.${plain[0]}.token`;
  return `${path} is in plain text. Set it anew as a secret: pulumi config set --secret --path ${path}`;
}
