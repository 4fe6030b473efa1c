export * from "./table.js";
export * from "./settings.js";
export { SettingsError, parseToken, variableOf } from "./values.js";
