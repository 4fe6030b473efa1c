import {
  accountMembers,
  accountNamePattern,
  namespace,
  orSettingsError,
  providerInputs,
  Settings,
  SettingsError,
  settingsTable,
  stackConfiguration,
  unknownSettings,
  variableOf,
  type ConfigWords,
  type Setting,
  type StackConfig,
} from "../config/index.js";
import { canonicalJson, isObject, membersOf, parseJson } from "../json.js";
import type { PropertyPath } from "../propertyPath.js";
import { hasUnknown } from "../unknown.js";
import { unmarshal, type Unmarshalled } from "./protocolValues.js";

type Inputs = Readonly<Record<string, unknown>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** Provider inputs that the engine adds itself. */
const fromEngine = new Set(["version", "pluginDownloadURL", "__internal"]);

/** Inputs that are always secret in the state: `checkConfig` cannot see whether a token was in plain text. */
export const alwaysSecret: readonly PropertyPath[] = [["token"], ["accounts"]];

/**
 * Whether a name belongs to a default provider, which the engine creates from the stack's configuration. That name is
 * `default`, then the plugin's version if the program names one, then its download address if the program names one. In
 * the address, the engine writes `_` for each character that a name cannot have, such as the colon of the scheme.
 */
export const isDefaultProvider = (name: string): boolean =>
  /^default(_\d+_\d+_\d+(_[\w./-]+)?|_[\w.-]+_\/[\w./-]+)?$/.test(name);

/**
 * The problem if the program declares a provider under a default provider's name: the declared inputs would be mistaken
 * for the stack's configuration. There is no problem if the inputs match the configuration, because such a provider
 * looks exactly like a default provider.
 */
export function nameProblems(name: string, inputs: Inputs, stackConfig: unknown): string[] {
  if (!isDefaultProvider(name) || !isObject(stackConfig)) return [];
  const [own, ofStack] = [comparable(inputs), comparable(stackConfig)];
  const others = Object.keys(own).filter((key) => own[key] !== ofStack[key]);
  if (others.length === 0) return [];
  return [
    `The provider name "${name}" is reserved for the provider that Pulumi makes from the stack configuration. The declared provider of this name has inputs that differ from it (${others.join(", ")}). Give the declared provider another name, such as "main".`,
  ];
}

/**
 * The settings of one provider. For a default provider, the environment overrides the inputs, just like for the dynamic
 * classes. For an explicit provider, the inputs override the environment: each explicit provider has its own account,
 * and two explicit providers must not share one token.
 */
export function settingsOf(given: Inputs, isDefault: boolean, environment: Environment, words?: ConfigWords): Settings {
  const inputs = valuesOf(given).values;
  const config: StackConfig = { get: (fullKey) => textOf(inputs[fullKey.slice(namespace.length + 1)]) };
  return isDefault
    ? new Settings(config, environment, words)
    : new Settings(config, withoutOverridden(inputs, environment), words ?? providerInputs);
}

/**
 * The problems with a provider's inputs, a sentence each. The values are checked only if every name is a setting's
 * and no input is unknown.
 */
export function configProblems(
  inputs: Inputs,
  isDefault: boolean,
  environment: Environment,
  words = isDefault ? stackConfiguration : providerInputs,
): string[] {
  const keys = Object.keys(inputs).filter((key) => !fromEngine.has(key));
  const unknown = unknownSettings(keys, words);
  if (unknown.length > 0) return unknown.map(({ message }) => message);
  if (hasUnknown(valuesOf(inputs).values)) return [];
  const settings = settingsOf(inputs, isDefault, environment, words);
  const read = [
    orSettingsError(() => settings.protect()),
    orSettingsError(() => settings.accountNames().map((name) => settings.account(name))),
  ];
  return [...new Set(read.flatMap((one) => (one instanceof SettingsError ? one.message : [])))];
}

/** Whether a provider's inputs changed. A change must never replace the provider: that would replace all its jobs. */
export const configChanged = (olds: Inputs, news: Inputs): boolean =>
  canonicalJson(comparable(olds)) !== canonicalJson(comparable(news));

/** The texts of the settings among a provider's inputs. */
function comparable(inputs: Inputs): Readonly<Record<string, string | undefined>> {
  const settings = Object.entries(valuesOf(inputs).values).filter(([key]) => !fromEngine.has(key));
  return Object.fromEntries(settings.map(([key, value]) => [key, textOf(value)]));
}

/** The settings that SDKs may pass as JSON text. All others are strings, which may look like JSON. */
const passedAsJson: ReadonlySet<string> = new Set([
  "accounts",
  "requestEncoding",
  "timeoutSeconds",
  "rateLimitSeconds",
  "jobOperations",
  "protect",
]);

/**
 * A provider's inputs as values, whichever form a language passes them in: strings, the values themselves, or JSON text
 * with secret and unknown values wrapped inside it. In Python, the keys of a dictionary are spelled with underscores.
 */
export function valuesOf(inputs: Inputs): Unmarshalled {
  const found = unmarshal(
    Object.fromEntries(
      Object.entries(inputs).map(([key, value]) => {
        const parsed = passedAsJson.has(key) && typeof value === "string" ? parseJson(value) : undefined;
        return [key, parsed === undefined ? value : parsed];
      }),
    ),
  );
  const { accounts } = found.values;
  return isObject(accounts) ? { ...found, values: { ...found.values, accounts: accountsOf(accounts) } } : found;
}

const accountsOf = (accounts: Inputs): Inputs =>
  Object.fromEntries(
    Object.entries(accounts).map(([name, members]) => [
      name,
      isObject(members)
        ? Object.fromEntries(
            Object.entries(members).flatMap(([member, value]) => (value === null ? [] : [[memberOf(member), value]])),
          )
        : members,
    ]),
  );

/** The name of an account's setting, from that name or its Python spelling. */
const memberOf = (member: string): string =>
  accountMembers.find((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) === member) ?? member;

/** A value as stack configuration would store it. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : canonicalJson(value);
}

/**
 * The environment without the variables that the inputs override. `token` and `credentialsCommand` each override the
 * variables of both, under the name of the inputs' own account too.
 */
function withoutOverridden(inputs: Inputs, environment: Environment): Environment {
  const isGiven = (key: string) => textOf(inputs[key]) !== undefined;
  const { token, credentialsCommand } = settingsTable;
  const givesToken = (of: Inputs) => ["token", "credentialsCommand"].some((key) => textOf(of[key]) !== undefined);
  const isTokenGiven = givesToken(inputs);
  const own = isTokenGiven ? [textOf(inputs["account"]) ?? ""] : [];
  const accounts = membersOf(inputs["accounts"]);
  const named = Object.keys(accounts).filter((name) => givesToken(membersOf(accounts[name])));
  const names = [...own, ...named].filter((name) => accountNamePattern.test(name));
  const overridden = new Set([
    ...Object.entries<Setting>(settingsTable).map(([key, { variable }]) => (isGiven(key) ? variable : undefined)),
    ...(isTokenGiven ? [token.variable, credentialsCommand.variable] : []),
    ...names.flatMap((name) => [variableOf("TOKEN", name), variableOf("CREDENTIALS_COMMAND", name)]),
  ]);
  return Object.fromEntries(Object.entries(environment).filter(([variable]) => !overridden.has(variable)));
}
