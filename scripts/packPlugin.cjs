// Writes one archive of the plugin per platform, under the name that the engine looks for, and the archives' checksums.
// The built plugin is bundled into one file, which pluginLoader.cjs runs; otherwise each start would read a thousand
// files. For users without npm, the commands have a folder bin/ of their own to put on the PATH, where the plugin must
// not be. Arguments: the output folder (default: the repository's root), and a main file to use instead of the plugin's
// own (for the bench).
const { execFileSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join, resolve } = require("node:path");
const { buildSync } = require("esbuild");

const root = resolve(__dirname, "..");
const provider = join(root, "provider");
const { version } = require(join(provider, "package.json"));
const folder = resolve(process.argv[2] ?? root);
const plugin = "pulumi-resource-data-connectivity";
const commands = "pulumi-data-connectivity";
const needed = (name) => `${name} needs Node.js 20 or newer, and there is no node on the PATH. Install it.`;

const shell = (name, file) => `#!/bin/sh
command -v node >/dev/null || { echo "${needed(name)}" >&2; exit 1; }
exec node "$(dirname "$0")/${file}" "$@"
`;
const batch = (name, file) =>
  `@echo off
where node >nul 2>nul || (echo ${needed(name)} 1>&2 & exit /b 1)
node "%~dp0${file.replaceAll("/", "\\")}" %*
`.replaceAll("\n", "\r\n");
const launchers = { linux: shell, darwin: shell, windows: batch };

const bundle = (entry, outfile, options) =>
  buildSync({
    entryPoints: [entry],
    outfile: join(made, "lib", outfile),
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    legalComments: "linked",
    logLevel: "warning",
    ...options,
  });

const made = mkdtempSync(join(tmpdir(), "plugin-"));
try {
  // Both bundles read the version from package.json, which is one folder above them too.
  const external = ["../package.json"];
  bundle(resolve(provider, "dist/cli/main.js"), "commands.js", { external });
  // The loader calls each of the next two bundles as a function.
  const wrapped = { banner: { js: "(function(module,exports,require,__dirname){" }, footer: { js: "})" } };
  const main = resolve(provider, "dist", process.argv[3] ?? "hosts/plugin/main.js");
  bundle(main, "bundle.js", { ...wrapped, external: [...external, "axios"] });
  bundle(require.resolve("axios"), "axios.js", { ...wrapped, format: "cjs" });
  cpSync(join(__dirname, "pluginLoader.cjs"), join(made, "lib/plugin.js"));
  cpSync(join(provider, "package.json"), join(made, "package.json"));
  cpSync(join(root, "LICENSE"), join(made, "LICENSE"));
  const sums = Object.entries(launchers).flatMap(([system, launcher]) => {
    const ending = launcher === batch ? ".cmd" : "";
    const name = `${plugin}${ending}`;
    rmSync(join(made, "bin"), { recursive: true, force: true });
    mkdirSync(join(made, "bin"));
    writeFileSync(join(made, name), launcher(plugin, "lib/plugin.js"), { mode: 0o755 });
    writeFileSync(join(made, "bin", `${commands}${ending}`), launcher(commands, "../lib/commands.js"), { mode: 0o755 });
    return ["amd64", "arm64"].map((processor) => {
      const archive = `${plugin}-v${version}-${system}-${processor}.tar.gz`;
      execFileSync("tar", ["-czf", join(folder, archive), "-C", made, name, "bin", "lib", "package.json", "LICENSE"]);
      const bytes = readFileSync(join(folder, archive));
      return `${createHash("sha256").update(bytes).digest("hex")}  ${archive}\n`;
    });
  });
  writeFileSync(join(folder, `${plugin}-v${version}-checksums.txt`), sums.join(""));
} finally {
  rmSync(made, { recursive: true, force: true });
}
