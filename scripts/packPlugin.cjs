// Writes the plugin as one archive for each platform, named as the engine looks for them, with their checksums. It bundles the
// built plugin into one file: without it a start would read a thousand. Argument: the folder; default: the repository's root.
const { execFileSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join, resolve } = require("node:path");
const { buildSync } = require("esbuild");

const root = resolve(__dirname, "..");
const provider = join(root, "provider");
const { version } = require(join(provider, "package.json"));
const folder = resolve(process.argv[2] ?? root);
const plugin = "pulumi-resource-data-connectivity";
const needed =
  "pulumi-resource-data-connectivity needs Node.js 20 or newer, and there is no node on the PATH. Install it.";

const shell = `#!/bin/sh
command -v node >/dev/null || { echo "${needed}" >&2; exit 1; }
exec node "$(dirname "$0")/lib/plugin.js" "$@"
`;
const batch = `@echo off
where node >nul 2>nul || (echo ${needed} 1>&2 & exit /b 1)
node "%~dp0lib\\plugin.js" %*
`.replaceAll("\n", "\r\n");
const launchers = {
  linux: { name: plugin, text: shell },
  darwin: { name: plugin, text: shell },
  windows: { name: `${plugin}.cmd`, text: batch },
};

const made = mkdtempSync(join(tmpdir(), "plugin-"));
try {
  buildSync({
    entryPoints: [join(provider, "dist/hosts/plugin/main.js")],
    outfile: join(made, "lib/plugin.js"),
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    legalComments: "linked",
    logLevel: "warning",
  });
  // The plugin reads its version from it.
  cpSync(join(provider, "package.json"), join(made, "package.json"));
  cpSync(join(root, "LICENSE"), join(made, "LICENSE"));
  const sums = Object.entries(launchers).flatMap(([system, { name, text }]) => {
    writeFileSync(join(made, name), text, { mode: 0o755 });
    return ["amd64", "arm64"].map((processor) => {
      const archive = `${plugin}-v${version}-${system}-${processor}.tar.gz`;
      execFileSync("tar", ["-czf", join(folder, archive), "-C", made, name, "lib", "package.json", "LICENSE"]);
      return `${createHash("sha256")
        .update(readFileSync(join(folder, archive)))
        .digest("hex")}  ${archive}\n`;
    });
  });
  writeFileSync(join(folder, `${plugin}-v${version}-checksums.txt`), sums.join(""));
} finally {
  rmSync(made, { recursive: true, force: true });
}
