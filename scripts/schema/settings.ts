import { accountMembers, modes, settingsTable, type Setting } from "../../provider/src/config/index.js";
import { alwaysSecret } from "../../provider/src/hosts/plugin/providerConfig.js";
import { enumOf, mapOf, reference, stringOr, type NamedTypes, type PropertySpec, type TypeSpec } from "./types.js";
import { protectWithoutOptions } from "./words.js";

type Types = Readonly<Record<string, TypeSpec>>;

/**
 * The type of each setting that stack configuration or an explicit provider can have. Enums are strings: Python's SDK
 * passes a provider's `oneOf` input as JSON, with quotes around the string.
 */
const types = {
  baseUrl: { type: "string" },
  token: { type: "string" },
  credentialsCommand: { type: "string" },
  account: { type: "string" },
  accounts: mapOf(reference("Account")),
  requestEncoding: { type: "string" },
  timeoutSeconds: { type: "integer" },
  jobOperations: { type: "string" },
  protect: { type: "boolean" },
} as const satisfies Record<Exclude<keyof typeof settingsTable, "resendUnconfirmedBefore" | "log">, TypeSpec>;

const enumsOfAccount: Types = {
  requestEncoding: stringOr("RequestEncoding"),
  jobOperations: stringOr("JobOperations"),
};

/** No setting is required, because most settings have an environment variable. */
export const settingProperties = () => propertiesOf(types);

/** The types that settings refer to. */
export function settingTypesByName(): NamedTypes {
  const all = Object.entries({ ...types, ...enumsOfAccount });
  return {
    Account: {
      type: "object",
      description: "One account: its credentials, and the settings in which it differs from the others.",
      properties: propertiesOf(Object.fromEntries(all.filter(([name]) => accountMembers.includes(name)))),
    },
    RequestEncoding: { ...enumOf(["typed", "quoted"]), description: wordsOf("requestEncoding") },
    JobOperations: { ...enumOf(Object.keys(modes)), description: wordsOf("jobOperations") },
  };
}

const propertiesOf = (typesByName: Types): Readonly<Record<string, PropertySpec>> =>
  Object.fromEntries(
    Object.entries(typesByName).map(([name, type]) => {
      const isSecret = alwaysSecret.some(([first]) => first === name);
      return [name, { ...type, description: wordsOf(name), ...(isSecret && { secret: true }) }];
    }),
  );

/** The table's entries for settings without a default value, and what the description says instead. */
const withoutDefault: Readonly<Record<string, string>> = {
  none: "",
  required: " Required.",
  "one of the two": " Set either `token` or `credentialsCommand`.",
};

function wordsOf(name: string): string {
  const setting = Object.values<Setting>(settingsTable).find(({ key }) => key === name);
  if (setting === undefined) throw new Error(`There is no setting ${name}.`);
  const { meaning, default: fallback, variable } = setting;
  const words = name === "protect" ? protectWithoutOptions : `${meaning.slice(0, 1).toUpperCase()}${meaning.slice(1)}`;
  const place = variable === undefined ? "" : ` Environment: \`${variable}\`.`;
  return `${words}.${withoutDefault[fallback] ?? ` Default: ${fallback}.`}${place}`;
}
