import { accountMembers, modes, namespace, settingsTable, type Setting } from "../../provider/src/config/index.js";
import { alwaysSecret } from "../../provider/src/hosts/plugin/providerConfig.js";
import { enumOf, mapOf, reference, stringOr, type Spec } from "./specs.js";
import { protectWithoutOptions } from "./words.js";

const string = { type: "string" };

/**
 * The type of each setting that stack configuration or an explicit provider can have. Enums are strings: Python's SDK
 * passes a provider's `oneOf` input as JSON, with quotes around the string.
 */
const types = {
  baseUrl: string,
  token: string,
  credentialsCommand: string,
  account: string,
  accounts: mapOf(reference("Account")),
  requestEncoding: string,
  timeoutSeconds: { type: "integer" },
  jobOperations: string,
  protect: { type: "boolean" },
} satisfies Record<Exclude<keyof typeof settingsTable, "resendUnconfirmedBefore" | "log">, Spec>;

/** No setting is required, because most settings have an environment variable. */
export const settingProperties = propertiesOf(types);

const enums = { requestEncoding: stringOr("RequestEncoding"), jobOperations: stringOr("JobOperations") };
const ofAccount = Object.entries({ ...types, ...enums }).filter(([name]) => accountMembers.includes(name));

export const settingTypes = {
  Account: {
    type: "object",
    description: "One account: its credentials, and the settings in which it differs from the others.",
    properties: propertiesOf(Object.fromEntries(ofAccount)),
  },
  RequestEncoding: enumOf(["typed", "quoted"], wordsOf("requestEncoding")),
  JobOperations: enumOf(Object.keys(modes), wordsOf("jobOperations")),
};

function propertiesOf(typesByName: Readonly<Record<string, Spec>>): Readonly<Record<string, Spec>> {
  const properties = Object.entries(typesByName).map(([name, type]) => {
    const isSecret = alwaysSecret.some(([first]) => first === name);
    return [name, { ...type, description: wordsOf(name), ...(isSecret && { secret: true }) }] as const;
  });
  return Object.fromEntries(properties);
}

function wordsOf(name: string): string {
  const setting = Object.values<Setting>(settingsTable).find(({ key }) => key === name);
  if (setting === undefined) throw new Error(`There is no setting ${name}.`);
  const { meaning, default: fallback, variable } = setting;
  const words = name === "protect" ? protectWithoutOptions : `${meaning.slice(0, 1).toUpperCase()}${meaning.slice(1)}`;
  // The table's entries for settings without a default value, and what the description says instead.
  const withoutDefault: Readonly<Record<string, string>> = {
    none: "",
    required: " Required.",
    "one of the two": " Set either `token` or `credentialsCommand`.",
  };
  const place = variable === undefined ? "" : ` Environment: \`${variable}\`.`;
  return `${words}.${withoutDefault[fallback] ?? ` Default: ${fallback}.`}${place}`;
}

/** The settings of docs/configuration.md as Markdown: one row for each setting that is read. */
export function settingsMarkdown(): string {
  const code = (name: string | undefined) => (name === undefined ? "–" : `\`${name}\``);
  const rows = Object.values<Setting>(settingsTable).map(
    (setting) => `| ${code(setting.key)} | ${code(setting.variable)} | ${setting.default} | ${setting.meaning} |`,
  );
  return [`| key \`${namespace}:\` | environment | default | meaning |`, "|---|---|---|---|", ...rows].join("\n");
}
