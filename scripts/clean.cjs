// Removes the folders named on the command line (relative to the project's root), so that a build never keeps a stale file.
const { rmSync } = require("node:fs");
const { resolve } = require("node:path");

for (const folder of process.argv.slice(2)) {
  rmSync(resolve(__dirname, "..", folder), { recursive: true, force: true });
}
