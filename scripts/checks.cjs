const { spawn } = require("node:child_process");

// Side by side, for each of them uses one processor: one after the other they take a quarter of the gate.
const checks = ["lint:code", "typecheck", "lint:format", "lint:docs"];

for (const check of checks)
  spawn(`npm run --silent ${check}`, { shell: true, stdio: "inherit" }).once("close", (code) => {
    if (code !== 0) process.exitCode = 1;
  });
