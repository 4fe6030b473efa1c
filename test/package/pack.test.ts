import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { dependencies, installed, packedOnce, workspace } from "../support/package/packed.js";

const named = z.record(z.string(), z.string());
const manifest = z.object({ dependencies: named, peerDependencies: named, scripts: named.default({}) });

describe("The packed package", () => {
  const packed = packedOnce();

  // The plugin would need gRPC, which users of the classes should not have to install, so it is only in its archives.
  // Of the plugin's files, the package has only providerConfig.ts, for the commands.
  test("holds compiled JavaScript with declarations for each source file but the plugin's, the bundle of a provider process, README and licence, and nothing else", () => {
    const sources = readdirSync(join(workspace, "provider/src"), { recursive: true, encoding: "utf8" });
    const plugin = join("hosts", "plugin");
    const compiled = sources
      .filter(
        (path) => path.endsWith(".ts") && (!path.startsWith(plugin) || path === join(plugin, "providerConfig.ts")),
      )
      .flatMap((path) => ["js", "d.ts"].map((ending) => `dist/${path.replaceAll("\\", "/").slice(0, -2)}${ending}`));
    const written = ["LICENSE", "README.md", "bin/pulumi-data-connectivity.js", "package.json"];
    expect(packed().files()).toEqual([...compiled, "dist/dynamic-v1.js", ...written].sort());
  });

  test.each(["README.md", "LICENSE"])("holds the project's own %s", (name) => {
    expect(packed().read(name)).toBe(readFileSync(join(workspace, name), "utf8"));
  });

  test("depends on four packages, takes the SDK from the user, and runs no script when it is installed", () => {
    const found = manifest.parse(JSON.parse(packed().read("package.json")));
    expect(Object.keys(found.dependencies)).toEqual(dependencies);
    expect(Object.keys(found.peerDependencies)).toEqual(["@pulumi/pulumi"]);
    const atInstall = ["preinstall", "install", "postinstall", "prepare"];
    expect(Object.keys(found.scripts).filter((name) => atInstall.includes(name))).toEqual([]);
  });

  test("has nothing for publint to say", () => {
    const publint = join(installed("publint"), "src/cli.js");
    const output = execFileSync(process.execPath, [publint, "run", packed().tarball, "--strict"], { encoding: "utf8" });
    expect(output).toContain("All good!");
  });

  test("has types that resolve under every module resolution (are the types wrong?)", () => {
    const script = `
      import { readFileSync } from "node:fs";
      import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
      const { problems } = await checkPackage(createPackageFromTarballData(readFileSync(${JSON.stringify(packed().tarball)})));
      console.log(JSON.stringify(problems));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: workspace,
      encoding: "utf8",
    });
    expect(JSON.parse(output)).toEqual([]);
  });
});
