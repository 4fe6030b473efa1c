import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { pageAt, root } from "../support/pages.js";

const source = join(root, "provider/src");
const { text } = pageAt("CONTRIBUTING.md");

const posix = (path: string) => path.replaceAll("\\", "/");

/**
 * Each source file and our own files that it imports, imports of types included. Paths such as `client/send.ts` are
 * relative to `provider/src`.
 */
const imports: ReadonlyMap<string, readonly string[]> = new Map(
  readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(source, path), "utf8"), true, true);
      const ours = importedFiles.map(({ fileName }) => fileName).filter((name) => /^\..*\.js$/.test(name));
      const from = join(source, dirname(path));
      return [posix(path), ours.map((name) => posix(relative(source, join(from, name))).replace(/\.js$/, ".ts"))];
    }),
);

/**
 * The files in import cycles, or on a path from one cycle to another. Removes each file that no remaining file imports,
 * and each file that imports no remaining file, until nothing changes.
 */
function circles(files: readonly string[] = [...imports.keys()]): readonly string[] {
  const imported = new Set(files.flatMap((file) => imports.get(file) ?? []));
  const left = files.filter(
    (file) => imported.has(file) && imports.get(file)?.some((other) => files.includes(other)) === true,
  );
  return left.length === files.length ? left : circles(left);
}

test("The source files form no circle by their imports, types included", () => {
  expect(imports.size).toBeGreaterThan(80);
  expect(circles()).toEqual([]);
});

describe("CONTRIBUTING.md", () => {
  const [, layout = ""] = /```text\n(provider\/ [\s\S]*?)```/.exec(text) ?? [];
  /** Each path of the layout's left column, from the root. */
  const paths = layout.split("\n").flatMap((line) => {
    const [, indent = "", names] = /^( *)(\S+(?:, \S+)*)(?: {2,}|$)/.exec(line) ?? [];
    if (names === undefined || indent.length > 2) return [];
    const parts = names.split(", ").map((name) => name.replace(/\/$/, ""));
    const [first = ""] = parts;
    const folder = indent === "" ? "" : dirname(join("provider", first));
    return parts.map((name, index) => (indent === "" || index > 0 ? join(folder, name) : join("provider", name)));
  });

  test("names paths that exist, and each folder of provider/src", () => {
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const missing = folders.filter(({ name }) => !paths.map(posix).includes(`provider/src/${name}`));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test("names source files that exist", () => {
    const named = [...text.matchAll(/(?<![.\w/])((?:[\w.]+\/)*[a-z]\w*(?:\.test)?\.ts)\b/gi)].map(
      ([, name = ""]) => name,
    );
    const known = new Set([...imports.keys()].map((file) => file.split("/").at(-1)));
    // A path is given from the root, or from provider/src.
    const exists = (name: string) =>
      known.has(name) || [root, source].some((folder) => name.includes("/") && existsSync(join(folder, name)));
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter((name) => !exists(name))).toEqual([]);
  });
});
