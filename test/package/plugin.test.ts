import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { schemaText } from "../../provider/src/hosts/plugin/processCalls.js";
import { version } from "../../provider/src/version.js";
import { start as startService, stopAll } from "../support/emulated.js";
import { startCommand } from "../support/command.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { EngineStack } from "../support/engine.js";
import { commandsOf, pageAt } from "../support/pages.js";
import { ConfiguredPlugin, inputs, secret } from "../support/plugin/configuredPlugin.js";
import { archiveFor, executable, PackedPlugin, platforms } from "../support/plugin/archives.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

const resources = z.object({ resources: z.record(z.string(), z.unknown()) });

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

  test.each(platforms)("have the executable at the top level (%s)", (platform) => {
    expect(packed.filesIn(platform)).toContain(`${executable}${platform.startsWith("windows") ? ".cmd" : ""}`);
  });

  describe("unpacked", () => {
    const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
    const unpacked = temporaryFolder();
    beforeEach(() => {
      packed.unpack(unpacked());
    });
    const start = (env: NodeJS.ProcessEnv) => startCommand(join(unpacked(), executable), [], { cwd: unpacked(), env });
    const startAndEnd = async () => {
      const started = start({ PATH: path });
      await started.outputMatches(/\n/);
      started.kill("SIGTERM");
      expect((await started.finished).output).toMatch(/^\d+\n$/);
    };

    test("start and print their port alone", startAndEnd);

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
      const compiled = () => join(unpacked(), "lib", started);
      const sizeOf = (name: string) => statSync(join(unpacked(), "lib", name)).size;
      const keptFiles = () =>
        readdirSync(join(unpacked(), "lib"))
          .filter((name) => name.startsWith("compiled"))
          .sort();
      const written = () => statSync(compiled()).ino;

      test("for all later starts", async () => {
        const packed = readdirSync(join(unpacked(), "lib"));
        await startAndEnd();
        expect(readdirSync(join(unpacked(), "lib")).sort()).toEqual([...packed, started].sort());
        const first = written();
        await startAndEnd();
        expect(written()).toBe(first);
      });

      test.each([
        ["cut off", (kept: Buffer) => kept.subarray(0, kept.length / 2)],
        ["empty", () => Buffer.alloc(0)],
        ["changed in the middle", (kept: Buffer) => kept.fill(0, kept.length / 2, kept.length / 2 + 1000)],
      ])("and write it again where the file is %s", async (_, damaged) => {
        await startAndEnd();
        writeFileSync(compiled(), damaged(readFileSync(compiled())));
        const first = written();
        await startAndEnd();
        expect(written()).not.toBe(first);
      });

      test("and write it again for another bundle of the same length", async () => {
        await startAndEnd();
        const [first, bundle] = [written(), join(unpacked(), "lib/bundle.js")];
        writeFileSync(bundle, readFileSync(bundle, "utf8").replace('"use strict"', '"Use strict"'));
        await startAndEnd();
        expect(written()).not.toBe(first);
      });

      test("and more at the end of the first process that the engine configured, and that sent a request", async () => {
        const main = join(unpacked(), "lib/plugin.js");
        const { baseUrl, token } = await startService();
        const end = async (plugin: ConfiguredPlugin) => {
          plugin.process.kill("SIGINT");
          expect(await plugin.process.ended).toEqual([0, null]);
          await plugin.stop();
        };
        const run = async (work: (plugin: ConfiguredPlugin) => Promise<unknown>) => {
          const plugin = await ConfiguredPlugin.start({ baseUrl, token: secret(token) }, { main });
          await work(plugin);
          await end(plugin);
        };
        const check = (plugin: ConfiguredPlugin) => plugin.check("orders", inputs());
        const create = (plugin: ConfiguredPlugin) => plugin.create("orders", inputs());

        await end(await ConfiguredPlugin.startUnconfigured({ main }));
        expect(keptFiles()).toEqual([started]);
        await run(check);
        expect(keptFiles()).toEqual([started, used]);
        expect(sizeOf(used)).toBeGreaterThan(sizeOf(started));
        await run(create);
        expect(keptFiles()).toEqual([usedAxios, started, used]);
        const inodes = () => [used, usedAxios].map((name) => statSync(join(unpacked(), "lib", name)).ino);
        const before = inodes();
        await run(create);
        expect(inodes()).toEqual(before);
        for (const name of [used, usedAxios]) writeFileSync(join(unpacked(), "lib", name), "damaged");
        await run(create);
        expect(sizeOf(used)).toBeGreaterThan(sizeOf(started));
        expect(sizeOf(usedAxios)).toBeGreaterThan(100_000);
      });

      test("and start all the same where it cannot be written", async () => {
        mkdirSync(compiled());
        await startAndEnd();
        expect(keptFiles()).toEqual([started]);
      });
    });
  });
});

describe("The commands in the plugin's archives", () => {
  const folder = temporaryFolder();

  // On the PATH, the plugin itself would make the engine warn in each run, so the commands have their own folder.
  test.each(platforms)("stand in their own folder (%s)", (platform) => {
    const commands = packed.filesIn(platform).filter((path) => path.startsWith("bin/"));
    expect(commands).toEqual(["bin/", `bin/pulumi-data-connectivity${platform.startsWith("windows") ? ".cmd" : ""}`]);
  });

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

describeWithEngine("The plugin's archive", () => {
  const stack = new EngineStack({ program: "" });
  afterAll(() => stack.dispose());

  test("is installed from its file, serves its schema, and keeps what V8 compiled", async () => {
    const from = ["--file", packed.archive("linux-amd64")];
    const installed = await stack.run(["plugin", "install", "resource", "data-connectivity", version, ...from]);
    expect(installed).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await stack.run(["package", "get-schema", `data-connectivity@${version}`]);
    expect(exitCode).toBe(0);
    const schema: unknown = JSON.parse(stdout);
    expect(schema).toMatchObject({ name: "data-connectivity", version });
    expect(Object.keys(resources.parse(schema).resources)).toEqual(
      Object.keys(resources.parse(JSON.parse(schemaText())).resources),
    );
    const installedIn = join(stack.folder, `home/plugins/resource-data-connectivity-v${version}`);
    expect(readdirSync(join(installedIn, "lib"))).toContain(started);
  });
});
