const { unusedSdk } = require("./test/support/unusedSdk/index.cjs");

const exactly = (request) => `^${request.replace(/[.]/g, "\\.")}$`;

const shared = {
  testEnvironment: "node",
  transform: { "\\.ts$": "<rootDir>/test/support/transform.cjs" },
  modulePathIgnorePatterns: ["<rootDir>/provider/dist"],
  moduleNameMapper: {
    "^(\\.{1,2}/.*)\\.js$": "$1",
    ...Object.fromEntries(Object.entries(unusedSdk).map(([request, path]) => [exactly(request), path])),
  },
};

/** @type {import("jest").Config} */
module.exports = {
  globalSetup: "<rootDir>/test/support/buildIfStale.ts",
  // The tests of the core, test/lifecycle and test/world, run on both hosts; all others, and lifecycle/pure, once.
  projects: [
    {
      ...shared,
      displayName: "dynamic",
      globals: { testedHost: "dynamic" },
      testMatch: ["<rootDir>/test/**/*.test.ts"],
      testPathIgnorePatterns: ["<rootDir>/test/engine/"],
    },
    {
      ...shared,
      displayName: "plugin",
      globals: { testedHost: "plugin" },
      testMatch: ["<rootDir>/test/lifecycle/*.test.ts", "<rootDir>/test/world/**/*.test.ts"],
    },
    // Each of its tests starts stacks with the language, and so the host, that it is about.
    {
      ...shared,
      displayName: "engine",
      testMatch: ["<rootDir>/test/engine/**/*.test.ts"],
    },
  ],
  // The tests wait for processes and replies more than they compute: with two workers two processors stay a third idle.
  maxWorkers: 3,
  testSequencer: "<rootDir>/test/support/longestFirst.cjs",
  // It only ends what hangs: a busy machine may take ten times as long as a quiet one.
  testTimeout: 600_000,
  reporters: ["default", "<rootDir>/test/support/plainSummary.cjs"],
};
