// `npm run typecheck` checks the types. Here esbuild only removes them, in a tenth of the compiler's time.
const { createHash } = require("node:crypto");
const { readFileSync } = require("node:fs");
const { transformSync } = require("esbuild");

// Jest has no import() in CommonJS, so it becomes require().
const supported = { "dynamic-import": false };

exports.process = (source, sourcefile) =>
  transformSync(source, { loader: "ts", format: "cjs", target: "node20", supported, sourcemap: true, sourcefile });

// Without it, Jest would keep what an older version of this file made.
const own = readFileSync(__filename);
exports.getCacheKey = (source, sourcefile) =>
  createHash("sha256").update(own).update(sourcefile).update("\0").update(source).digest("hex");
