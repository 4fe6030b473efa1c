import { nearest } from "../nearest.js";
import { SettingsError, stackConfiguration, type ConfigWords } from "./configWords.js";
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
