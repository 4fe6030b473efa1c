// Re-records the calls that a real engine makes to the provider in each scenario. If a name is given, the script also
// saves a stack of this version under the name in test/fixtures: npm run record -- v1
const { spawnSync } = require("node:child_process");

const [fixture = ""] = process.argv.slice(2);
const env = { ...process.env, RECORD_SCENARIOS: "true", RECORD_FIXTURE: fixture };
if (spawnSync("pulumi", ["version"], { env }).status !== 0) {
  console.error("There is no pulumi CLI on PATH: nothing can be recorded.");
  process.exit(1);
}
const files = ["test/engine/scenarios", "test/engine/pluginScenarios"];
if (fixture !== "") files.push("test/engine/upgrade");
const jest = [require.resolve("jest/bin/jest"), "--runInBand", ...files];
process.exit(spawnSync(process.execPath, jest, { env, stdio: "inherit" }).status ?? 1);
