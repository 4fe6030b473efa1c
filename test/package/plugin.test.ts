import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "../../provider/src/version.js";
import { start as startService, stopAll } from "../support/emulated.js";
import { startCommand } from "../support/command.js";
import { commandsOf, pageAt } from "../support/pages.js";
import { startPlugin, startProcess, type ProviderProcess } from "../support/driver/process.js";
import { inputs, secret } from "../support/plugin/inputs.js";
import { archiveFor, executable, PackedPlugin, platforms } from "../support/plugin/archives.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

const keptFile = (name: string): string => `compiled-${name}-${process.version}-${process.arch}`;
const started = keptFile("bundle-started");
const used = keptFile("bundle-used");
const usedAxios = keptFile("axios-used");

let packed: PackedPlugin;
beforeAll(() => {
  packed = new PackedPlugin();
});
afterAll(async () => {
  await stopAll();
  packed.dispose();
});

describe("The plugin's archives", () => {
  test("are one for each platform, named as the engine looks for them, with the checksum of each", () => {
    const checksums = `${executable}-v${version}-checksums.txt`;
    expect(readdirSync(packed.folder).sort()).toEqual([...platforms.map(archiveFor), checksums].sort());
    const sums = platforms.map((platform) => {
      const digest = createHash("sha256")
        .update(readFileSync(packed.archive(platform)))
        .digest("hex");
      return `${digest}  ${archiveFor(platform)}\n`;
    });
    expect(readFileSync(join(packed.folder, checksums), "utf8")).toBe(sums.join(""));
  });

  // On the PATH, the plugin itself would make the engine warn in each run, so the command has its own folder.
  test.each(platforms)(
    "have the executable at the top level, and the command in a folder of its own (%s)",
    (platform) => {
      const ending = platform.startsWith("windows") ? ".cmd" : "";
      const files = packed.filesIn(platform);
      expect(files).toContain(`${executable}${ending}`);
      expect(files.filter((path) => path.startsWith("bin/"))).toEqual([
        "bin/",
        `bin/pulumi-data-connectivity${ending}`,
      ]);
    },
  );

  describe("unpacked", () => {
    const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
    const unpacked = temporaryFolder();
    beforeEach(() => {
      packed.unpack(unpacked());
    });
    const start = (env: NodeJS.ProcessEnv) => startCommand(join(unpacked(), executable), [], { cwd: unpacked(), env });
    /** The plugin prints its port, and nothing else. */
    const startAndEnd = async () => {
      const plugin = start({ PATH: path });
      await plugin.outputMatches(/\n/);
      plugin.kill("SIGTERM");
      expect((await plugin.finished).output).toMatch(/^\d+\n$/);
    };

    test.each([
      ["there is no node", "/nowhere", "there is no node on the PATH. Install it."],
      ["node is too old", path, "the node on the PATH is 18.20.8. Install a newer one."],
    ])("say what is missing where %s", async (_, PATH, missing) => {
      const old = join(unpacked(), "old.cjs");
      writeFileSync(old, 'Object.defineProperty(process.versions, "node", { value: "18.20.8" });');
      expect(await start({ PATH, NODE_OPTIONS: `--require ${old}` }).finished).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: `${executable} needs Node.js 20 or newer, and ${missing}\n`,
      });
    });

    describe("keep what V8 compiled at the first start", () => {
      const lib = (name = "") => join(unpacked(), "lib", name);
      const sizeOf = (name: string) => statSync(lib(name)).size;
      const inodeOf = (name: string) => statSync(lib(name)).ino;
      const keptFiles = () => readdirSync(lib()).filter((name) => name.startsWith("compiled"));
      const change = (name: string, changed: (bytes: Buffer) => Buffer | string) => () => {
        writeFileSync(lib(name), changed(readFileSync(lib(name))));
      };

      test("for all later starts", async () => {
        const packed = readdirSync(lib());
        await startAndEnd();
        expect(readdirSync(lib()).sort()).toEqual([...packed, started].sort());
        const first = inodeOf(started);
        await startAndEnd();
        expect(inodeOf(started)).toBe(first);
      });

      test.each([
        ["empty", change(started, () => "")],
        ["changed in the middle", change(started, (kept) => kept.fill(0, kept.length / 2, kept.length / 2 + 1000))],
        [
          "of another bundle of the same length",
          change("bundle.js", (bundle) => bundle.toString().replace('"use strict"', '"Use strict"')),
        ],
      ])("and write it again where the file is %s", async (_, spoil) => {
        await startAndEnd();
        const first = inodeOf(started);
        spoil();
        await startAndEnd();
        expect(inodeOf(started)).not.toBe(first);
      });

      test("and more at the end of the first process that the engine configured, and that waited for the stack's state", async () => {
        const main = lib("plugin.js");
        const { baseUrl, token } = await startService();
        const end = async (plugin: ProviderProcess) => {
          plugin.process.kill("SIGINT");
          expect(await plugin.process.ended).toEqual([0, null]);
          await plugin.stop();
        };
        const run = async (work: (plugin: ProviderProcess) => Promise<unknown>) => {
          const plugin = await startPlugin({ baseUrl, token: secret(token) }, { main });
          await work(plugin);
          await end(plugin);
        };
        const create = (plugin: ProviderProcess) => plugin.create("orders", inputs());

        await end(await startProcess("plugin", { main }));
        expect(keptFiles()).toEqual([started]);
        await run((plugin) => plugin.check("orders", inputs(), inputs()));
        expect(keptFiles().sort()).toEqual([started, used]);
        expect(sizeOf(used)).toBeGreaterThan(sizeOf(started));
        await run(create);
        expect(keptFiles().sort()).toEqual([usedAxios, started, used]);
        const inodes = () => [used, usedAxios].map(inodeOf);
        const before = inodes();
        await run(create);
        expect(inodes()).toEqual(before);
        for (const name of [used, usedAxios]) writeFileSync(lib(name), "damaged");
        await run(create);
        expect(sizeOf(used)).toBeGreaterThan(sizeOf(started));
        expect(sizeOf(usedAxios)).toBeGreaterThan(100_000);
      });

      test("and start all the same where it cannot be written", async () => {
        mkdirSync(lib(started));
        await startAndEnd();
        expect(keptFiles()).toEqual([started]);
      });
    });
  });
});

describe("The commands in the plugin's archives", () => {
  const folder = temporaryFolder();

  test("are found by the documented line in the newest installed version, whatever that is", async () => {
    const home = join(folder(), "home with spaces");
    for (const installed of ["0.9.0", "0.10.0"]) {
      const bin = join(home, `plugins/resource-data-connectivity-v${installed}/bin`);
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, "pulumi-data-connectivity"), `#!/bin/sh\necho ${installed}\n`, { mode: 0o755 });
    }
    const line = commandsOf(pageAt("docs/other-languages.md")).find((command) => command.startsWith("export PATH"));
    const env = { PATH: "/usr/bin:/bin", PULUMI_HOME: home };
    const script = `${line ?? ""}\npulumi-data-connectivity`;
    const { output } = await startCommand("sh", ["-c", script], { cwd: home, env }).finished;
    expect(output).toBe("0.10.0\n");
  });
});
