import { nearest } from "../nearest.js";
import { SettingsError } from "./found.js";
import { namespace, settingsTable, type Setting } from "./table.js";

const known = Object.values(settingsTable).flatMap(({ key }: Setting) => key ?? []);

/** The error for a key of the namespace that is no setting: a mistyped one would be ignored. Undefined where there is none. */
export function unknownKey(fullKeys: readonly string[]): SettingsError | undefined {
  const found = fullKeys
    .filter((key) => key.startsWith(`${namespace}:`))
    .map((key) => key.slice(namespace.length + 1))
    .find((key) => !known.includes(key));
  if (found === undefined) return undefined;
  const likely = nearest(found, known);
  const accepted = likely === undefined ? `Accepted: ${known.join(", ")}.` : `Did you mean ${namespace}:${likely}?`;
  return new SettingsError(
    `${namespace}:${found} is not a setting. ${accepted}`,
    `Remove it: pulumi config rm ${namespace}:${found}`,
  );
}
