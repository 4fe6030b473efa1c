// The package needs the project's README and LICENSE, which are kept only at the root.
const { copyFileSync } = require("node:fs");
const { resolve } = require("node:path");

for (const name of ["README.md", "LICENSE"]) {
  copyFileSync(resolve(__dirname, "..", name), resolve(__dirname, "../provider", name));
}
