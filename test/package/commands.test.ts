import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { claimsOf } from "../../provider/src/client/token.js";
import { version } from "../../provider/src/version.js";
import { configuredProject } from "../cli/cliProcess.js";
import { startCommand, type RunningCommand } from "../support/command.js";
import { installInto, packageName, PackedPackage } from "../support/package/packed.js";
import { PackedPlugin } from "../support/plugin/archives.js";

/** Functions that install each archive below a folder, as a user would, and return the command's folder, for PATH. */
const archives: Record<string, (folder: string) => string> = {
  "the npm package"(folder) {
    const packed = new PackedPackage(version);
    installInto(folder, "npm", packed);
    packed.dispose();
    return join(folder, "node_modules", packageName, "bin");
  },
  "the plugin's archive"(folder) {
    const packed = new PackedPlugin();
    packed.unpack(join(folder, "unpacked"));
    packed.dispose();
    return join(folder, "unpacked/bin");
  },
};

describe.each(Object.entries(archives))("The commands in %s", (_name, install) => {
  const folder = mkdtempSync(join(tmpdir(), "commands-"));
  let bin: string;
  let emulator: RunningCommand;
  let service: NodeJS.ProcessEnv;
  const project = configuredProject({ "data-connectivity:jobOperations": "all" });
  const inProject = ["--cwd", project.path];
  const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const PATH = [bin, dirname(process.execPath), project.env["PATH"]].join(delimiter);
    const file = bin.includes("node_modules") ? join(bin, `${packageName}.js`) : packageName;
    return startCommand(file, args, { cwd: folder, env: { ...env, PATH } });
  };

  beforeAll(async () => {
    writeFileSync(join(folder, "stack.json"), '{"version":3,"deployment":{"resources":[]}}');
    bin = install(folder);
    emulator = start(["emulator", "--token", "made-up-token"]);
    const [, address = ""] = await emulator.outputMatches(/DATA_CONNECTIVITY_BASE_URL=(\S+)[^]*Ctrl-C/);
    service = { DATA_CONNECTIVITY_BASE_URL: address, DATA_CONNECTIVITY_TOKEN: "made-up-token" };
  });
  afterAll(async () => {
    emulator.kill("SIGINT");
    const { exitCode } = await emulator.finished;
    rmSync(folder, { recursive: true });
    expect(exitCode).toBe(0);
  });

  test.each<[string, readonly string[], RegExp]>([
    ["print their version", ["--version"], new RegExp(`^${version}\\n$`)],
    ["check the settings and the service", ["doctor"], /All checks passed\.\n$/],
    ["list connections", ["connections"], /^ID +NAME/],
    ["list a stack's jobs", ["jobs", "stack.json"], /no jobs/],
    ["list the jobs of the service", ["jobs", "--at-service", ...inProject], /./],
  ])("%s", async (_does, args, prints) => {
    const { exitCode, stdout, stderr } = await start(args, service).finished;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(prints);
  });

  test("sign a token", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
    const args = ["token", "--key", "key.pem", "--issuer", "parent", "--subject", "child"];
    const { exitCode, stdout, stderr } = await start(args).finished;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(claimsOf(stdout.trim())).toMatchObject({ tokenType: "powered-by", iss: "parent", sub: "child" });
  });
});
