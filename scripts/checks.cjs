const { spawn } = require("node:child_process");

// The checks run in parallel, because each uses one processor: in sequence they take a quarter of the gate's time.
const checks = ["lint:code", "typecheck", "lint:format", "lint:docs"];

for (const check of checks)
  spawn(`npm run --silent ${check}`, { shell: true, stdio: "inherit" }).once("close", (code) => {
    if (code !== 0) process.exitCode = 1;
  });
