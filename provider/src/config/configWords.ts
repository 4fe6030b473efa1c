import { propertyPath } from "../propertyPath.js";
import { sentences, shellWord, shortened } from "../sentences.js";
import { namespace } from "./table.js";

/** A setting's key, or the path to a member of a setting, such as `accounts`, `eu`, `token`. */
type SettingPath = readonly string[];

/** How messages refer to the settings of one place, such as stack configuration or the environment. */
interface PlaceWords {
  readonly name: (path: SettingPath) => string;
  /** What to type or write to set a setting. */
  readonly set: (path: SettingPath, value: string) => string;
  readonly setSecret: (path: SettingPath) => string;
}

export interface ConfigWords extends PlaceWords {
  /** The options that name the stack in a command, with a space before each; empty for the selected stack. */
  readonly stackOptions: string;
  readonly remove: (path: SettingPath) => string;
}

const fullKey = (path: SettingPath): string => `${namespace}:${path.join(".")}`;
const option = (path: SettingPath): string => (path.length > 1 ? "--path " : "");
const inShell = (value: string): string => (value.includes(" ") ? `"${value}"` : value);

/** Options of a printed command, with a space before each; none for a value that is undefined. */
export const commandOptions = (options: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(options)
    .flatMap(([name, value]) => (value === undefined ? [] : ` --${name} ${shellWord(value)}`))
    .join("");

/** Wording for stack configuration, which is changed with commands. `options`: see {@link commandOptions}. */
export const stackConfigurationOf = (options: string): ConfigWords => ({
  stackOptions: options,
  name: fullKey,
  set: (path, value) => `pulumi config set${options} ${option(path)}${fullKey(path)} ${inShell(value)}`,
  setSecret: (path) => `pulumi config set${options} --secret ${option(path)}${fullKey(path)}`,
  remove: (path) => {
    const quoted = propertyPath(path);
    const key = quoted.includes('"') ? `'${namespace}:${quoted}'` : fullKey(path);
    return `pulumi config rm${options} ${option(path)}${key}`;
  },
});

/** The same for the selected stack. */
export const stackConfiguration = stackConfigurationOf("");

const inputsIn = (place: string, stackOptions = ""): ConfigWords => ({
  stackOptions,
  name: (path) => `the provider's input "${path.join(".")}"`,
  set: (path, value) => `${propertyPath(path)} "${value}" ${place}`,
  setSecret: (path) => `${propertyPath(path)} "<token>" ${place}`,
  remove: (path) => `${propertyPath(path)} ${place}`,
});

/** Wording for the inputs of a provider that the program declares. Such a provider reads no stack configuration. */
export const providerInputsOf = (stackOptions: string): ConfigWords =>
  inputsIn("in the inputs of the provider", stackOptions);
export const providerInputs = providerInputsOf("");

/** Wording for `pulumi do`, which takes a provider's inputs from a file. The file's format depends on the CLI's version. */
export const providerFile = inputsIn("in the file for --provider-file");

/** Wording for environment variables: the path is the name of one. */
export const environmentVariables: PlaceWords = {
  name: ([variable = ""]) => variable,
  set: ([variable = ""], value) => `export ${variable}=${value}`,
  setSecret: ([variable = ""]) => `export ${variable}=<token>`,
};

/** A setting's text and where it was found. A fix must change the text there: that place may override other places. */
export interface Found {
  /** Undefined if the setting is not set. */
  readonly text: string | undefined;
  readonly path: SettingPath;
  readonly words: PlaceWords;
}

/** A setting that is missing or malformed: what is wrong, and how to fix it. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly kind = "failed";

  constructor(
    readonly what: string,
    readonly fix: string,
  ) {
    super(sentences(what, fix));
  }
}

/** For a `catch` that expects only a {@link SettingsError}: throws any other error again. */
export function settingsErrorOf(error: unknown): SettingsError {
  if (error instanceof SettingsError) return error;
  throw error;
}

/** What `read` returns, or the {@link SettingsError} that it throws. */
export function orSettingsError<Value>(read: () => Value): Value | SettingsError {
  try {
    return read();
  } catch (error) {
    return settingsErrorOf(error);
  }
}

/** Shows a value in a message, shortened. Never pass what may be a secret. */
export const quoted = (text: string): string => JSON.stringify(shortened(text, 200));
