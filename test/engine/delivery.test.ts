import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { version } from "../../provider/src/version.js";
import { declaration } from "../support/declaration.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { succeeds, type EngineStack } from "../support/engine.js";
import { exampleFolder } from "../support/example.js";
import { matching } from "../support/matchers.js";
import { archiveFor, PackedPlugin } from "../support/plugin/archives.js";
import { describeWith, isOnPath, yaml } from "../support/plugin/languages.js";
import { close, listen } from "../support/servers.js";
import { startStack } from "../support/startStack.js";

describeWith(yaml)("From an empty plugin cache a YAML program gets the plugin", () => {
  let packed: PackedPlugin;
  const asked: string[] = [];
  /** A web server with the archives, as a release page has them. `end` sets a Content-Length, which the engine needs. */
  const releases = createServer(({ url = "" }, response) => {
    const name = basename(url);
    asked.push(name);
    const file = join(packed.folder, name);
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  let releasesUrl = "";
  let stack: EngineStack;

  beforeAll(async () => {
    packed = new PackedPlugin();
    releasesUrl = `http://127.0.0.1:${await listen(releases)}`;
  });
  afterAll(async () => {
    await close(releases);
    packed.dispose();
  });
  beforeEach(async () => {
    const { sourceConnection } = declaration.params;
    stack = await startStack({ program: "", config: { sourceConnection }, env: settingsFor(await start()) });
  });
  afterEach(stopAll);

  /** Writes the example's program into the stack's own project. */
  const write = (edit: (text: string) => string = String) => {
    const text = readFileSync(join(exampleFolder("yaml"), "Pulumi.yaml"), "utf8");
    writeFileSync(join(stack.folder, "Pulumi.yaml"), edit(text.replace("name: yaml", "name: acceptance")));
  };
  const install = (...from: string[]) =>
    succeeds(stack.run(["plugin", "install", "resource", "data-connectivity", version, ...from]));
  const creates = async () => {
    expect(await succeeds(stack.up(["--skip-preview"]))).toContain("+ 3 created");
    await succeeds(stack.up(["--skip-preview", "--expect-no-changes"]));
  };

  test("from an archive, which keeps what V8 compiled", async () => {
    await install("--file", packed.archive("linux-amd64"));
    write();
    await succeeds(stack.run(["install"]));
    await creates();
    const kept = readdirSync(join(stack.folder, `home/plugins/resource-data-connectivity-v${version}/lib`));
    expect(kept).toContainEqual(matching(/^compiled-bundle-/));
  });

  // Conversion names members as the SDK does, and so does the code that `pulumi import` prints.
  (isOnPath("pulumi-language-go") && isOnPath("pulumi-converter-yaml") ? test : test.skip)(
    "and is converted into Go, with the names of the SDK",
    async () => {
      await install("--file", packed.archive("linux-amd64"));
      write();
      await succeeds(stack.run(["install"]));
      await succeeds(stack.run(["convert", "--language", "go", "--out", "converted", "--generate-only"]));
      const program = readFileSync(join(stack.folder, "converted/main.go"), "utf8");
      expect(program).toContain("Params: &dataconnectivity.CachingJobParamsArgs{");
    },
  );

  test("from a server by a command", async () => {
    await install("--server", releasesUrl);
    expect(asked).toEqual([archiveFor("linux-amd64")]);
    write();
    await succeeds(stack.run(["install"]));
    await creates();
  });

  test("by its address in Pulumi.yaml and `pulumi install`, as a fresh clone", async () => {
    write((text) => text.replace(`version: ${version}\n`, (line) => `${line}    pluginDownloadURL: ${releasesUrl}\n`));
    await succeeds(stack.run(["install"]));
    await creates();
  });

  test("by `pulumi package add`, which writes it into Pulumi.yaml", async () => {
    write((text) => text.replace(/packages:\n( .*\n)+/, ""));
    await install("--server", releasesUrl);
    await succeeds(stack.run(["package", "add", `data-connectivity@${version}`]));
    expect(readFileSync(join(stack.folder, "Pulumi.yaml"), "utf8")).toContain(`data-connectivity@${version}`);
    await creates();
  });

  test("from a folder that Pulumi.yaml names", async () => {
    packed.unpack(join(stack.folder, "plugin"));
    const plugins = "plugins:\n  providers:\n    - { name: data-connectivity, path: ./plugin }\n";
    write((text) => text.replace(/packages:\n( .*\n)+/, plugins));
    await creates();
  });
});
