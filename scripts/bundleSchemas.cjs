// Replaces the compiled schemas by one file that holds of zod only what they use. Loading all of zod, a hundred files, would be
// most of what this package adds to the start of a program and of a provider process.
const { readFileSync, rmSync } = require("node:fs");
const { dirname, join, resolve } = require("node:path");
const { buildSync } = require("esbuild");

const provider = resolve(__dirname, "../provider");
const zod = dirname(require.resolve("zod/package.json"));
const { version } = require("zod/package.json");
const license = readFileSync(join(zod, "LICENSE"), "utf8").trim();

const outfile = join(provider, "dist/jobs/schemas.js");
// Where this fails, what the compiler wrote must not be taken for a good build.
rmSync(outfile, { force: true });
buildSync({
  entryPoints: [join(provider, "src/jobs/schemas.ts")],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  // zod's CommonJS files cannot be taken apart.
  conditions: ["import"],
  banner: { js: `/*! Holds parts of zod ${version}.\n\n${license}\n*/` },
});
