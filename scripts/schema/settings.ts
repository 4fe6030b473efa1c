import { accountMembers, modes, settingsTable, type Setting } from "../../provider/src/config/index.js";
import { alwaysSecret } from "../../provider/src/hosts/plugin/providerConfig.js";
import { protectWithoutOptions } from "./words.js";
import {
  enumOf,
  mapOf,
  reference,
  stringOr,
  type NamedTypes,
  type ObjectSpec,
  type PropertySpec,
  type TypeSpec,
} from "./types.js";

/** The type of each setting that stack configuration or an explicit provider can have. */
const settingTypes = {
  baseUrl: { type: "string" },
  token: { type: "string" },
  credentialsCommand: { type: "string" },
  account: { type: "string" },
  accounts: mapOf(reference("Account")),
  requestEncoding: stringOr("RequestEncoding"),
  timeoutSeconds: { type: "integer" },
  jobOperations: stringOr("JobOperations"),
  protect: { type: "boolean" },
} as const satisfies Partial<Record<keyof typeof settingsTable, TypeSpec>>;
type Name = keyof typeof settingTypes;

const isName = (name: string): name is Name => name in settingTypes;

/**
 * The settings with a key in stack configuration, in the table's order. No setting is required, because most settings
 * have an environment variable.
 */
export function settingProperties(): Readonly<Record<string, PropertySpec>> {
  const keyed = Object.entries(settingsTable).filter(([, setting]) => "key" in setting);
  return Object.fromEntries(keyed.map(([name]) => [name, plainString(property(name))]));
}

/**
 * Makes an enum a plain string: Python's SDK passes a provider's `oneOf` input as JSON, with quotes around the string.
 */
const plainString = (setting: PropertySpec): PropertySpec =>
  "oneOf" in setting ? { type: "string", description: setting.description } : setting;

/** The types that settings refer to. */
export function settingTypesByName(): NamedTypes {
  const account: ObjectSpec = {
    type: "object",
    description: "One account: its credentials, and the settings in which it differs from the others.",
    properties: Object.fromEntries(accountMembers.map((name) => [name, property(name)])),
  };
  return {
    Account: account,
    RequestEncoding: { ...enumOf(["typed", "quoted"]), description: wordsOf("requestEncoding") },
    JobOperations: { ...enumOf(Object.keys(modes)), description: wordsOf("jobOperations") },
  };
}

function property(name: string): PropertySpec {
  if (!isName(name)) throw new Error(`${name} is a setting that the schema has no type for.`);
  const isSecret = alwaysSecret.some(([first]) => first === name);
  return { ...settingTypes[name], description: wordsOf(name), ...(isSecret && { secret: true }) };
}

/** The table's entries for settings without a default value, and what the description says instead. */
const withoutDefault: Readonly<Record<string, string>> = {
  none: "",
  required: " Required.",
  "one of the two": " Set either `token` or `credentialsCommand`.",
};

function wordsOf(name: Name): string {
  const { meaning, default: fallback, variable }: Setting = settingsTable[name];
  const words = name === "protect" ? protectWithoutOptions : `${meaning.slice(0, 1).toUpperCase()}${meaning.slice(1)}`;
  const place = variable === undefined ? "" : ` Environment: \`${variable}\`.`;
  return `${words}.${withoutDefault[fallback] ?? ` Default: ${fallback}.`}${place}`;
}
