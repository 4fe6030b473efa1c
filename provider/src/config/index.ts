export * from "./table.js";
export * from "./settings.js";
export * from "./plainSecrets.js";
export * from "./unknownKeys.js";
export { providerInputs, SettingsError, stackConfiguration, type ConfigWords } from "./configWords.js";
export { accountNamePattern, accountOfVariable, variableOf } from "./values.js";
export { showAddress } from "./showAddress.js";
export { accountMembers, parseToken, type Credentials } from "./accounts.js";
export { modes, type ModeRules } from "./mode.js";
