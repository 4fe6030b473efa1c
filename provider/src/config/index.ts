export * from "./table.js";
export * from "./settings.js";
export * from "./stackProblems.js";
export * from "./configWords.js";
export { accountMembers, parseToken, type Account, type Credentials, type ExpectedSubject } from "./accounts.js";
export { modePath, modes, type ModeRules } from "./mode.js";
