// Makes two bundles of what each start of the provider loads: the compiled schemas with the parts of zod that they use,
// and this package's part of the provider process. Each bundle replaces about a hundred files, and loading those files
// one after the other takes twice as long as loading the bundle.
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
// The compiler's output is removed first: if bundling fails, this output must not pass for a good build.
rmSync(schemas, { force: true });
buildSync({
  ...common,
  entryPoints: [join(provider, "src/jobs/schemas.ts")],
  outfile: schemas,
  // zod's CommonJS files cannot be tree-shaken.
  conditions: ["import"],
  banner: { js: `/*! Holds parts of zod ${version}.\n\n${license}\n*/` },
});
buildSync({
  ...common,
  entryPoints: [join(dist, "hosts/dynamic/v1.js")],
  outfile: join(dist, "dynamic-v1.js"),
  packages: "external",
  // The bundle is beside version.js, which reads the package's own version when it is loaded.
  external: ["../package.json"],
});
