// Bundles what is loaded at each start into one file: the compiled schemas with what they use of zod, which has a hundred files, and the
// provider process's part of this package, which has as many. Loading them file by file takes twice the time.
const { readFileSync, rmSync } = require("node:fs");
const { dirname, join, resolve } = require("node:path");
const { buildSync } = require("esbuild");

const provider = resolve(__dirname, "../provider");
const zod = dirname(require.resolve("zod/package.json"));
const { version } = require("zod/package.json");
const license = readFileSync(join(zod, "LICENSE"), "utf8").trim();

const dist = join(provider, "dist");
const schemas = join(dist, "jobs/schemas.js");
const common = { bundle: true, platform: "node", target: "node20" };
// If this fails, what the compiler wrote must not be taken for a good build.
rmSync(schemas, { force: true });
buildSync({
  ...common,
  entryPoints: [join(provider, "src/jobs/schemas.ts")],
  outfile: schemas,
  // zod's CommonJS files cannot be taken apart.
  conditions: ["import"],
  banner: { js: `/*! Holds parts of zod ${version}.\n\n${license}\n*/` },
});
buildSync({
  ...common,
  entryPoints: [join(dist, "hosts/dynamic/v1.js")],
  outfile: join(dist, "dynamic-v1.js"),
  packages: "external",
});
