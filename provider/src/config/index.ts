export * from "./table.js";
export * from "./settings.js";
export * from "./plainSecrets.js";
export { SettingsError, accountOfVariable, parseToken, variableOf } from "./values.js";
