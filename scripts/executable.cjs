// Makes the files named on the command line (relative to the project's root) executable: tsc does not, and `npx` needs it.
const { chmodSync } = require("node:fs");
const { resolve } = require("node:path");

for (const file of process.argv.slice(2)) chmodSync(resolve(__dirname, "..", file), 0o755);
