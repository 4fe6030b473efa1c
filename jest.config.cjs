/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  globalSetup: "<rootDir>/test/support/buildIfStale.ts",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  transform: { "\\.ts$": ["ts-jest", { tsconfig: "<rootDir>/tsconfig.json", diagnostics: false }] },
  modulePathIgnorePatterns: ["<rootDir>/provider/dist"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  // By default Jest leaves one processor idle: of two that is half of the machine.
  maxWorkers: 2,
  testTimeout: 60_000,
  reporters: ["default", "<rootDir>/test/support/plainSummary.cjs"],
};
