// Records anew what a real engine asks of the provider in each story; with a name, saves a stack of this version's shape
// as a fixture as well: npm run record -- v1
const { spawnSync } = require("node:child_process");

const [shape = ""] = process.argv.slice(2);
const env = { ...process.env, RECORD_STORIES: "true", RECORD_SHAPE: shape };
if (spawnSync("pulumi", ["version"], { env }).status !== 0) {
  console.error("There is no pulumi CLI on PATH: nothing can be recorded.");
  process.exit(1);
}
const files = [
  "test/engine/knownJobs",
  "test/engine/unconfirmedJobs",
  ...(shape === "" ? [] : ["test/engine/upgrade"]),
];
const { status } = spawnSync(process.execPath, [require.resolve("jest/bin/jest"), "--runInBand", ...files], {
  env,
  stdio: "inherit",
});
process.exit(status ?? 1);
