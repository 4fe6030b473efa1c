import { propertyPath } from "../propertyPath.js";
import { sentences } from "../sentences.js";
import { namespace } from "./table.js";

/** A setting's key, or the path to a member of a setting, such as `accounts`, `eu`, `token`. */
export type SettingPath = readonly string[];

/** How messages refer to settings that are not in the environment. */
export interface ConfigWords {
  readonly name: (path: SettingPath) => string;
  /** What to type or write to set a setting. */
  readonly set: (path: SettingPath, value: string) => string;
  readonly setSecret: (path: SettingPath) => string;
  readonly remove: (path: SettingPath) => string;
}

const fullKey = (path: SettingPath): string => `${namespace}:${path.join(".")}`;
const option = (path: SettingPath): string => (path.length > 1 ? "--path " : "");
const inShell = (value: string): string => (value.includes(" ") ? `"${value}"` : value);

/** Wording for stack configuration, which is changed with commands. */
export const stackConfiguration: ConfigWords = {
  name: fullKey,
  set: (path, value) => `pulumi config set ${option(path)}${fullKey(path)} ${inShell(value)}`,
  setSecret: (path) => `pulumi config set --secret ${option(path)}${fullKey(path)}`,
  remove: (path) => {
    const quoted = propertyPath(path);
    const key = quoted.includes('"') ? `'${namespace}:${quoted}'` : fullKey(path);
    return `pulumi config rm ${option(path)}${key}`;
  },
};

/** Wording for the inputs of a provider that the program declares. Such a provider reads no stack configuration. */
export const providerInputs: ConfigWords = {
  name: (path) => `the provider's input "${path.join(".")}"`,
  set: (path, value) => `${propertyPath(path)} "${value}" in the inputs of the provider`,
  setSecret: (path) => `${propertyPath(path)} "<token>" in the inputs of the provider`,
  remove: (path) => `${propertyPath(path)} in the inputs of the provider`,
};

/** A setting that is missing or malformed: what is wrong, and how to fix it. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";

  constructor(
    readonly what: string,
    readonly fix: string,
  ) {
    super(sentences(what, fix));
  }
}

/** A setting's text and where it was found. A fix must change the text there: that place may override other places. */
export interface Found {
  /** Undefined if the setting is not set. */
  readonly text: string | undefined;
  /** The variable or full key that the text comes from, for messages. */
  readonly from: string;
  /** Whether `up` saves the text in the state. */
  readonly isSaved: boolean;
  /** How to set the setting where it was found: usually a command. */
  readonly set: (value: string) => string;
  /** How to set a token where the setting was found. */
  readonly setToken: () => string;
}

/** Shows a value in a message, shortened. Never pass what may be a secret. */
export const quoted = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
