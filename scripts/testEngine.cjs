// Runs the tests that need a Pulumi engine, which `npm test` leaves out.
const { spawnSync } = require("node:child_process");

const chosen = process.argv.slice(2);
if (spawnSync("pulumi", ["version"]).status !== 0) {
  console.error("npm run test:engine needs a pulumi CLI on the PATH, and there is none.");
  process.exit(1);
}
if (chosen.length === 0) console.log("The tests on a Pulumi engine take about 20 minutes.");
const jest = [require.resolve("jest/bin/jest"), ...chosen, "--selectProjects", "engine"];
process.exit(spawnSync(process.execPath, jest, { stdio: "inherit" }).status ?? 1);
