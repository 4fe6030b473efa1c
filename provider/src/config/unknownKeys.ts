import { nearest } from "../nearest.js";
import { SettingsError } from "./found.js";
import { namespace, settingsTable, type Setting } from "./table.js";

const known = Object.values(settingsTable).flatMap(({ key }: Setting) => key ?? []);

/** One error for each key of the namespace that is no setting: a mistyped one would be ignored. */
export function unknownKeys(fullKeys: readonly string[]): SettingsError[] {
  return fullKeys
    .filter((key) => key.startsWith(`${namespace}:`))
    .map((key) => key.slice(namespace.length + 1))
    .filter((key) => !known.includes(key))
    .map((key) => {
      const likely = nearest(key, known);
      const accepted = likely === undefined ? `Accepted: ${known.join(", ")}.` : `Did you mean ${namespace}:${likely}?`;
      const fix = `${accepted} Remove this one: pulumi config rm ${namespace}:${key}`;
      return new SettingsError(`${namespace}:${key} is not a setting.`, fix);
    });
}
