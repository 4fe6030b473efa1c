import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { version } from "../../provider/src/version.js";
import { startCommand } from "../support/command.js";
import { commandsOf, pageAt } from "../support/pages.js";
import { PackedPlugin, platforms } from "../support/plugin/archives.js";

describe("The commands in the plugin's archives", () => {
  let packed: PackedPlugin;
  beforeAll(() => {
    packed = new PackedPlugin();
  });
  afterAll(() => {
    packed.dispose();
  });

  // On the PATH, the plugin itself would make the engine warn in each run: the commands have a folder of their own.
  test.each(platforms)("stand in their own folder (%s)", (platform) => {
    const commands = packed.filesIn(platform).filter((path) => path.startsWith("bin/"));
    expect(commands).toEqual(["bin/", `bin/pulumi-data-connectivity${platform.startsWith("windows") ? ".cmd" : ""}`]);
  });

  describe("on the PATH", () => {
    const folder = mkdtempSync(join(tmpdir(), "commands-"));
    beforeAll(() => {
      packed.unpack(join(folder, "unpacked"));
    });
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });
    const start = (...args: readonly string[]) => {
      const path = [join(folder, "unpacked/bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":");
      return startCommand("pulumi-data-connectivity", args, { cwd: folder, env: { PATH: path } });
    };

    test("tell their version", async () => {
      expect(await start("--version").finished).toMatchObject({ exitCode: 0, output: `${version}\n` });
    });

    test("start the emulator in a folder that is no npm project", async () => {
      const emulator = start("emulator", "--token", "made-up-token");
      await emulator.outputMatches(/Ctrl-C/);
      emulator.kill("SIGINT");
      const { exitCode, stdout } = await emulator.finished;
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/DATA_CONNECTIVITY_BASE_URL=http:.*DATA_CONNECTIVITY_TOKEN=made-up-token\n/s);
    });
  });

  test("are found by the documented line in the newest installed version, whatever that is", async () => {
    const home = mkdtempSync(join(tmpdir(), "home with spaces-"));
    for (const installed of ["0.9.0", "0.10.0"]) {
      const bin = join(home, `plugins/resource-data-connectivity-v${installed}/bin`);
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, "pulumi-data-connectivity"), `#!/bin/sh\necho ${installed}\n`, { mode: 0o755 });
    }
    const line = commandsOf(pageAt("docs/other-languages.md")).find((command) => command.startsWith("export PATH"));
    const env = { PATH: "/usr/bin:/bin", PULUMI_HOME: home };
    const script = `${line ?? ""}\npulumi-data-connectivity`;
    const { output } = await startCommand("sh", ["-c", script], { cwd: home, env }).finished;
    rmSync(home, { recursive: true });
    expect(output).toBe("0.10.0\n");
  });
});
