import { membersOf, parseJson } from "../json.js";
import { nearest } from "../nearest.js";
import { SettingsError, stackConfiguration, type ConfigWords } from "./configWords.js";
import type { StackConfig } from "./settings.js";
import { namespace, settingsTable, type Setting } from "./table.js";

const known = Object.values(settingsTable).flatMap(({ key }: Setting) => key ?? []);

/** One error for each unknown key of our namespace in stack configuration; otherwise mistyped keys would be ignored. */
export const unknownKeys = (fullKeys: readonly string[], words = stackConfiguration): SettingsError[] =>
  unknownSettings(
    fullKeys.filter((key) => key.startsWith(`${namespace}:`)).map((key) => key.slice(namespace.length + 1)),
    words,
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
export function plainSecret(
  config: StackConfig,
  isSecret: (fullKey: string) => boolean,
  { name, setSecret } = stackConfiguration,
): SettingsError | undefined {
  const accounts = membersOf(parseJson(config.get(`${namespace}:accounts`) ?? "{}"));
  const withToken = Object.keys(accounts).filter((account) => "token" in membersOf(accounts[account]));
  const tokens = withToken.map((account) => ["accounts", account, "token"]);
  if (config.get(`${namespace}:token`) !== undefined) tokens.unshift(["token"]);
  const plain = tokens.find(([key = ""]) => !isSecret(`${namespace}:${key}`));
  if (plain === undefined) return undefined;
  return new SettingsError(`${name(plain)} is in plain text.`, `Set it again as a secret: ${setSecret(plain)}`);
}
