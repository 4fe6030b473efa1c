import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

  // On the PATH, the plugin itself would make the engine warn in each run, so the commands have their own folder.
  test.each(platforms)("stand in their own folder (%s)", (platform) => {
    const commands = packed.filesIn(platform).filter((path) => path.startsWith("bin/"));
    expect(commands).toEqual(["bin/", `bin/pulumi-data-connectivity${platform.startsWith("windows") ? ".cmd" : ""}`]);
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
