import { propertyPath } from "../propertyPath.js";
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
