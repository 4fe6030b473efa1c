import { accountMembers, namespace, settingsTable, type Setting } from "../../provider/src/config/index.js";
import { alwaysSecret } from "../../provider/src/hosts/providerConfig.js";
import { asFlags, enumOf, mapOf, reference, stringOr, type Spec } from "./specs.js";
import { jobOperations, protectWithoutOptions, requestEncodings } from "./words.js";

const string = { type: "string" };

/** The table's entries for settings without a default value, and what the description says instead. */
const withoutDefault = {
  none: "",
  required: " Required.",
  "one of the two": " Set either `token` or `credentialsCommand`.",
};

const meaningOf = ({ meaning }: Setting): string => `${meaning.slice(0, 1).toUpperCase()}${meaning.slice(1)}.`;

/**
 * The type of each setting in stack configuration. Enums are strings there: SDKs would parse a `oneOf` value as JSON,
 * which a word is not.
 */
const types = {
  baseUrl: string,
  token: string,
  credentialsCommand: string,
  subject: string,
  account: string,
  accounts: mapOf(reference("Account")),
  requestEncoding: string,
  timeoutSeconds: { type: "integer" },
  rateLimitSeconds: { type: "integer" },
  jobOperations: string,
  protect: { type: "boolean" },
} satisfies Record<
  Exclude<keyof typeof settingsTable, "resendUnconfirmed" | "adoptUnconfirmed" | "adoptMatching" | "log">,
  Spec
>;

const inputTypes = {
  ...types,
  requestEncoding: stringOr("RequestEncoding"),
  jobOperations: stringOr("JobOperations"),
};
const accountTypes = Object.fromEntries(Object.entries(inputTypes).filter(([name]) => accountMembers.includes(name)));

/** No setting is required, because most settings have an environment variable. */
export const configVariables = asFlags(propertiesOf(types, wordsOf));
export const providerProperties = asFlags(propertiesOf(inputTypes, wordsOf));

export const settingTypes = {
  Account: {
    type: "object",
    description: "One account: its credentials, and the settings in which it differs from the others.",
    properties: propertiesOf(accountTypes, wordsOfAccount),
  },
  RequestEncoding: enumOf(requestEncodings, wordsOf("requestEncoding")),
  JobOperations: enumOf(jobOperations, wordsOf("jobOperations")),
};

function propertiesOf(typesByName: Readonly<Record<string, Spec>>, describe: (name: string) => string) {
  const properties = Object.entries(typesByName).map(([name, type]) => {
    const isSecret = alwaysSecret.some(([first]) => first === name);
    return [name, { ...type, description: describe(name), ...(isSecret && { secret: true }) }] as const;
  });
  return Object.fromEntries<Spec>(properties);
}

function settingOf(name: string): Setting {
  const setting = Object.values<Setting>(settingsTable).find(({ key }) => key === name);
  if (setting === undefined) throw new Error(`There is no setting ${name}.`);
  return setting;
}

/** An account's credentials are its own. Its other settings are those of the provider if it has none. */
function wordsOfAccount(name: string): string {
  const setting = settingOf(name);
  const isCredentials = setting.default === "one of the two";
  const variable = isCredentials ? ` Environment: \`${setting.variable ?? ""}_<NAME>\`.` : "";
  if (name === "subject") return meaningOf(setting).replace("this stack's own account", "the account");
  return `${meaningOf(setting)}${isCredentials ? withoutDefault["one of the two"] : " Default: the provider's."}${variable}`;
}

function wordsOf(name: string): string {
  const setting = settingOf(name);
  const { default: fallback, variable } = setting;
  const words = name === "protect" ? `${protectWithoutOptions}.` : meaningOf(setting);
  const place = variable === undefined ? "" : ` Environment: \`${variable}\`.`;
  const isNamed = (text: string): text is keyof typeof withoutDefault => Object.hasOwn(withoutDefault, text);
  return `${words}${isNamed(fallback) ? withoutDefault[fallback] : ` Default: ${fallback}.`}${place}`;
}

/** The settings of docs/configuration.md as Markdown: one row for each setting that is read. */
export function settingsMarkdown(): string {
  const code = (name: string | undefined) => (name === undefined ? "–" : `\`${name}\``);
  const rows = Object.values<Setting>(settingsTable).map(
    (setting) => `| ${code(setting.key)} | ${code(setting.variable)} | ${setting.default} | ${setting.meaning} |`,
  );
  return [`| key \`${namespace}:\` | environment | default | meaning |`, "|---|---|---|---|", ...rows].join("\n");
}
