export * from "./table.js";
export * from "./settings.js";
export * from "./plainSecrets.js";
export * from "./unknownKeys.js";
export { accountNamePattern, accountOfVariable, variableOf } from "./accountName.js";
export { SettingsError } from "./found.js";
export { showAddress } from "./showAddress.js";
export { accountMembers, parseToken } from "./values.js";
export { jobOperations, type JobOperations } from "./jobOperations.js";
