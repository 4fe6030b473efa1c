import { execFileSync } from "node:child_process";
import { workspace } from "../support/package/packed.js";
import { declaration } from "../support/declaration.js";

const dynamic = JSON.stringify(`${workspace}/provider/dist/pulumi/dynamic/v1.js`);

/** The packages that a process of its own has loaded after running this, the SDK's own aside. */
function packagesLoadedBy(script: string): string[] {
  const report = `
    const before = new Set(Object.keys(require.cache));
    const loaded = () => Object.keys(require.cache).filter((path) => !before.has(path));
    process.on("exit", () => console.log(JSON.stringify(loaded().map((path) => path.replaceAll("\\\\", "/")))));`;
  const text = execFileSync(process.execPath, ["--eval", `require("@pulumi/pulumi");${report}${script}`], {
    cwd: workspace,
    encoding: "utf8",
  });
  const paths: unknown = JSON.parse(text);
  if (!Array.isArray(paths)) throw new TypeError("No list was printed.");
  expect(paths).toContainEqual(expect.stringContaining("provider/dist/"));
  expect(paths).not.toContainEqual(expect.stringContaining("/hosts/plugin/"));
  return paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(String(path))?.[1] ?? []);
}

test("A check loads no other package: of zod the built schemas hold what they use", () => {
  const inputs = JSON.stringify({ ...declaration, intervalUnit: "Hours" });
  const check = `require(${dynamic}).cachingJob.check({}, ${inputs}).then(({ failures }) => {
    if (!/intervalUnit is a string/.test(failures[0].reason)) throw new Error(failures[0].reason);
  });`;
  expect(packagesLoadedBy(check)).toEqual([]);
});

test("A program that declares nothing yet has loaded the SDK and no other package", () => {
  expect(packagesLoadedBy('require("pulumi-data-connectivity");')).toEqual([]);
});
