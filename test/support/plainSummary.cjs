const { writeSync } = require("node:fs");

// Prints the last line of a test run in the form that the gate reads: how many tests really ran, and how many were
// skipped.
module.exports = class PlainSummary {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites }) {
    // A suite that could not even start has no failed test of its own.
    const failed = Math.max(numFailedTests, numFailedTestSuites);
    // Jest's own summary comes after all reporters.
    process.once("exit", () => {
      writeSync(1, `\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped\n`);
    });
  }
};
