import { propertyPath } from "../propertyPath.js";
import { sentences } from "../sentences.js";
import { namespace } from "./table.js";

/** The key of a setting, or the way to a member of one: `accounts`, `eu`, `token`. */
export type SettingPath = readonly string[];

/** How messages speak of the settings that are not in the environment. */
export interface ConfigWords {
  readonly name: (path: SettingPath) => string;
  /** What to type, or to write, so that it has a value. */
  readonly set: (path: SettingPath, value: string) => string;
  readonly setSecret: (path: SettingPath) => string;
  readonly remove: (path: SettingPath) => string;
}

const fullKey = (path: SettingPath): string => `${namespace}:${path.join(".")}`;
const option = (path: SettingPath): string => (path.length > 1 ? "--path " : "");
const inShell = (value: string): string => (value.includes(" ") ? `"${value}"` : value);

/** The configuration of a stack, which a command changes. */
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

/** The inputs of a provider that the program declares: it gets nothing from the configuration of the stack. */
export const providerInputs: ConfigWords = {
  name: (path) => `the provider's input "${path.join(".")}"`,
  set: (path, value) => `${propertyPath(path)} "${value}" in the inputs of the provider`,
  setSecret: (path) => `${propertyPath(path)} "<token>" in the inputs of the provider`,
  remove: (path) => `${propertyPath(path)} in the inputs of the provider`,
};

/** A setting that is missing or malformed: what is wrong, and the command that sets it right. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";

  constructor(
    readonly what: string,
    readonly fix: string,
  ) {
    super(sentences(what, fix));
  }
}

/** A setting as it was found, with the place that a fix has to change: another place may be overridden by this one. */
export interface Found {
  /** Undefined if it is not set. */
  readonly text: string | undefined;
  /** The variable or the full key, for messages. */
  readonly from: string;
  /** Whether the state has it too, from the last `up`. */
  readonly isSaved: boolean;
  /** What sets it at this place: mostly a command. */
  readonly set: (value: string) => string;
  /** The same for a token. */
  readonly setToken: () => string;
}

/** A given value in a message: what may be a secret never comes here. */
export const quoted = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 199)}…` : text);
