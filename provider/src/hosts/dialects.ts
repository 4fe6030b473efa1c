import { providerInputs, stackConfiguration, type ConfigWords } from "../config/index.js";
import type { Dialect } from "../lifecycle/index.js";

const quoted = (texts: readonly string[]): string => texts.map((text) => JSON.stringify(text)).join(", ");

const inPython = (name: string): string => `Python: ${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

const settingsIn = ({ name, set }: ConfigWords): Pick<Dialect, "setting" | "set"> => ({
  setting: (key) => name([key]),
  set: (key, value) => set([key], value),
});

/** For the dynamic classes, which only a Node program can have. */
export const typescript: Dialect = {
  input: (name, value) => `${name}: "${value}"`,
  ignoreChanges: (paths) => `ignoreChanges: [${quoted(paths)}]`,
  renamed: 'aliases: [{ name: "<old name>" }]',
  retained: "without retainOnDelete: false",
  deletesFirst: undefined,
  ...settingsIn(stackConfiguration),
};

/** For a provider that programs of every language can have: a name and a value, and the name in Python where it differs. */
export const anyLanguage: Dialect = {
  ...typescript,
  input: (name, value) => `${name} "${value}" (${inPython(name)})`,
  ignoreChanges: (paths) => `ignoreChanges (${inPython("ignoreChanges")}) with ${quoted(paths)}`,
  renamed: 'aliases with the name "<old name>"',
  deletesFirst: `deleteBeforeReplace: true (${inPython("deleteBeforeReplace")})`,
  retained: `with the option retainOnDelete (${inPython("retainOnDelete")})`,
};

/** The same for a provider that the program declares. */
export const ownProvider: Dialect = { ...anyLanguage, ...settingsIn(providerInputs) };
