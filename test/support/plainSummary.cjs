const { writeSync } = require("node:fs");

// Prints the last line of a test run in the form that the gate reads: how many tests really ran, and how many were
// skipped.
module.exports = class PlainSummary {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites }) {
    // A suite that could not even start is a failure without a failed test.
    const failed = Math.max(numFailedTests, numFailedTestSuites);
    // Print at exit: Jest's own summary comes after all reporters.
    process.once("exit", () => {
      writeSync(1, `\n${numPassedTests} passed, ${failed} failed, ${numPendingTests} skipped\n`);
    });
  }
};
