import { readdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../provider/src/version.js";
import { registryPages } from "../../scripts/pages/registry.js";
import { holdFile, pageAt, root } from "../support/pages.js";

/** What is not kept in the repository: installed and generated files. */
const isMade = (path: string) =>
  /(^|\/)(node_modules|sdks|\.?venv|target|stacks|reference|__pycache__)(\/|$)/.test(path) ||
  Object.keys(registryPages()).some((name) => path === `docs/${name}`);

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (isMade(path)) return [];
    if (entry.isDirectory()) return filesIn(path);
    return /\.(md|json|ya?ml|ts)$/.test(path) ? [path] : [];
  });

/** What follows the name of the package, of the plugin or of an archive. */
const ourVersion = /(?<=data-connectivity(?:[-@ ]v?|": "|"?,?\s+version: "?))\d+\.\d+\.\d+/g;
const [major = "", minor = ""] = version.split(".");
const later = `${major}.${String(Number(minor) + 1)}.0`;

describe("A release needs no search for its version:", () => {
  // The chapter "Upgrade" installs a version that follows this one.
  const named = ["README.md", ...["docs", "examples", "templates"].flatMap(filesIn)].flatMap((path) => {
    const { text } = pageAt(path);
    const expected = path === "docs/testing.md" ? later : version;
    return text.search(ourVersion) >= 0 ? [{ path, written: text.replaceAll(ourVersion, expected) }] : [];
  });

  test.each(named)("$path names it", ({ path, written }) => {
    holdFile(path, written);
  });

  test("it was found in the pages, the examples and each template", () => {
    const paths = named.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["README.md", "docs/other-languages.md", "docs/testing.md"]));
    const folders = readdirSync(join(root, "templates"));
    expect(folders.filter((name) => !paths.some((path) => path.startsWith(`templates/${name}/`)))).toEqual([]);
    expect(paths.filter((path) => path.startsWith("examples/")).length).toBeGreaterThan(15);
  });
});
