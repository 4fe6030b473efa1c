const { loadedWhenUsed } = require("./test/support/sdkParts/index.cjs");

const exactly = (request) => `^${request.replace(/[.]/g, "\\.")}$`;

/** @type {import("jest").Config} */
module.exports = {
  testEnvironment: "node",
  globalSetup: "<rootDir>/test/support/buildIfStale.ts",
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  transform: { "\\.ts$": "<rootDir>/test/support/transform.cjs" },
  modulePathIgnorePatterns: ["<rootDir>/provider/dist"],
  moduleNameMapper: {
    "^(\\.{1,2}/.*)\\.js$": "$1",
    ...Object.fromEntries(Object.entries(loadedWhenUsed).map(([request, path]) => [exactly(request), path])),
  },
  // The tests wait for processes and replies more than they compute: with two workers two processors stay a third idle.
  maxWorkers: 3,
  testTimeout: 60_000,
  reporters: ["default", "<rootDir>/test/support/plainSummary.cjs"],
};
