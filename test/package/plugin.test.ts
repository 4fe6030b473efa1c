import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as z from "zod";
import { schemaText } from "../../provider/src/hosts/plugin/processCalls.js";
import { version } from "../../provider/src/version.js";
import { start as startService, stopAll } from "../support/emulated.js";
import { startCommand } from "../support/command.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { EngineStack } from "../support/engine.js";
import { ConfiguredPlugin, inputs, secret } from "../support/plugin/configuredPlugin.js";
import { archiveFor, executable, PackedPlugin, platforms } from "../support/plugin/archives.js";

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
    let unpacked: string;
    beforeEach(() => {
      unpacked = mkdtempSync(join(tmpdir(), "unpacked-"));
      packed.unpack(unpacked);
    });
    afterEach(() => {
      rmSync(unpacked, { recursive: true });
    });
    const start = (env: NodeJS.ProcessEnv) => startCommand(join(unpacked, executable), [], { cwd: unpacked, env });
    const startAndEnd = async () => {
      const started = start({ PATH: path });
      await started.outputMatches(/\n/);
      started.kill("SIGTERM");
      expect((await started.finished).output).toMatch(/^\d+\n$/);
    };

    test("start and print their port alone", startAndEnd);

    test("say what is missing where there is no node", async () => {
      const { exitCode, stdout, stderr } = await start({ PATH: unpacked }).finished;
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toBe(`${executable} needs Node.js 20 or newer, and there is no node on the PATH. Install it.\n`);
    });

    test("say what is missing where node is too old", async () => {
      const old = join(unpacked, "old.cjs");
      writeFileSync(old, 'Object.defineProperty(process.versions, "node", { value: "18.20.8" });');
      const { exitCode, stdout, stderr } = await start({ PATH: path, NODE_OPTIONS: `--require ${old}` }).finished;
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toBe(
        `${executable} needs Node.js 20 or newer, and the node on the PATH is 18.20.8. Install a newer one.\n`,
      );
    });

    describe("keep what V8 compiled at the first start", () => {
      const compiled = () => join(unpacked, "lib", started);
      const sizeOf = (name: string) => statSync(join(unpacked, "lib", name)).size;
      const keptFiles = () =>
        readdirSync(join(unpacked, "lib"))
          .filter((name) => name.startsWith("compiled"))
          .sort();
      const written = () => statSync(compiled()).ino;

      test("for all later starts", async () => {
        const packed = readdirSync(join(unpacked, "lib"));
        await startAndEnd();
        expect(readdirSync(join(unpacked, "lib")).sort()).toEqual([...packed, started].sort());
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
        const [first, bundle] = [written(), join(unpacked, "lib/bundle.js")];
        writeFileSync(bundle, readFileSync(bundle, "utf8").replace('"use strict"', '"Use strict"'));
        await startAndEnd();
        expect(written()).not.toBe(first);
      });

      test("and more at the end of the first process that the engine configured, and that sent a request", async () => {
        const main = join(unpacked, "lib/plugin.js");
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
        const inodes = () => [used, usedAxios].map((name) => statSync(join(unpacked, "lib", name)).ino);
        const before = inodes();
        await run(create);
        expect(inodes()).toEqual(before);
        for (const name of [used, usedAxios]) writeFileSync(join(unpacked, "lib", name), "damaged");
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
