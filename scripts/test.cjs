const { spawn } = require("node:child_process");

// The checks run beside the tests, which often wait for processes and replies and leave a processor free.
const checks = ["lint:code", "typecheck", "lint:format", "lint:docs"];
const failed = [];

console.log("Without the tests on a Pulumi engine: npm run test:engine runs those.");
const args = [require.resolve("jest/bin/jest"), ...process.argv.slice(2), "--ignoreProjects", "engine"];
const jest = spawn(process.execPath, args, { stdio: "inherit" });
jest.once("exit", (code) => {
  process.exitCode = code === 0 && failed.length === 0 ? 0 : 1;
  for (const check of failed) console.error(`\nnpm run ${check} failed, and stopped the tests: see its report above.`);
});
for (const check of checks)
  spawn(`npm run --silent ${check}`, { shell: true, stdio: "inherit" }).once("close", (code) => {
    if (code === 0) return;
    process.exitCode = 1;
    failed.push(check);
    jest.kill();
  });
