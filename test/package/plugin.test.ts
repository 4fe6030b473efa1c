import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { schemaText } from "../../provider/src/hosts/plugin/schema.js";
import { version } from "../../provider/src/version.js";
import { startCommand } from "../support/command.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { EngineStack } from "../support/engine.js";
import { root } from "../support/pages.js";

const plugin = "pulumi-resource-data-connectivity";
const archiveFor = (platform: string) => `${plugin}-v${version}-${platform}.tar.gz`;
const platforms = ["linux", "darwin", "windows"].flatMap((system) => [`${system}-amd64`, `${system}-arm64`]);

const resources = z.object({ resources: z.record(z.string(), z.unknown()) });

const folder = mkdtempSync(join(tmpdir(), "archives-"));
beforeAll(() => {
  execFileSync(process.execPath, [join(root, "scripts/packPlugin.cjs"), folder]);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const filesIn = (platform: string) =>
  execFileSync("tar", ["-tzf", join(folder, archiveFor(platform))], { encoding: "utf8" }).split("\n");

describe("The plugin's archives", () => {
  test("are one for each platform, named as the engine looks for them, with the checksum of each", () => {
    const checksums = `${plugin}-v${version}-checksums.txt`;
    expect(readdirSync(folder).sort()).toEqual([...platforms.map(archiveFor), checksums].sort());
    const sums = platforms.map((platform) => {
      const digest = createHash("sha256")
        .update(readFileSync(join(folder, archiveFor(platform))))
        .digest("hex");
      return `${digest}  ${archiveFor(platform)}\n`;
    });
    expect(readFileSync(join(folder, checksums), "utf8")).toBe(sums.join(""));
  });

  test.each(platforms)("have the executable at the top level (%s)", (platform) => {
    expect(filesIn(platform)).toContain(platform.startsWith("windows") ? `${plugin}.cmd` : plugin);
  });

  describe("unpacked", () => {
    const unpacked = mkdtempSync(join(tmpdir(), "unpacked-"));
    beforeAll(() => execFileSync("tar", ["-xzf", join(folder, archiveFor("linux-amd64")), "-C", unpacked]));
    afterAll(() => {
      rmSync(unpacked, { recursive: true });
    });
    const start = (PATH: string) => startCommand(join(unpacked, plugin), [], { cwd: folder, env: { PATH } });

    test("start and print their port alone", async () => {
      const started = start(`${dirname(process.execPath)}:/usr/bin:/bin`);
      await started.outputMatches(/\n/);
      started.kill("SIGTERM");
      expect((await started.finished).output).toMatch(/^\d+\n$/);
    });

    test("say what is missing where there is no node", async () => {
      const { exitCode, stdout, stderr } = await start(unpacked).finished;
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toBe(`${plugin} needs Node.js 20 or newer, and there is no node on the PATH. Install it.\n`);
    });
  });
});

describeWithEngine("The plugin's archive", () => {
  const stack = new EngineStack({ program: "" });
  afterAll(() => stack.dispose());

  test("is installed from its file, and serves its schema", async () => {
    const from = ["--file", join(folder, archiveFor("linux-amd64"))];
    const installed = await stack.run(["plugin", "install", "resource", "data-connectivity", version, ...from]);
    expect(installed).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await stack.run(["package", "get-schema", `data-connectivity@${version}`]);
    expect(exitCode).toBe(0);
    const schema: unknown = JSON.parse(stdout);
    expect(schema).toMatchObject({ name: "data-connectivity", version });
    expect(Object.keys(resources.parse(schema).resources)).toEqual(
      Object.keys(resources.parse(JSON.parse(schemaText())).resources),
    );
  });
});
