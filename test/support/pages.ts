import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import * as z from "zod";

/** The root of the project. */
export const root = resolve(__dirname, "..", "..");

const manifest = z.object({ scripts: z.record(z.string(), z.string()) });

/** The scripts that `npm run` offers at the root. */
export const { scripts } = manifest.parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
export const npmScripts: readonly string[] = Object.keys(scripts);

/** One Markdown page. */
export interface Page {
  /** The path from the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name).replaceAll("\\", "/"));

const examples = readdirSync(join(root, "examples"), { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? pagesIn(join("examples", entry.name)) : [],
);

/** Every page that a reader of the repository can open. */
export const pages: readonly Page[] = [
  ...[".", "docs", "docs/contributing", "examples"].flatMap((folder) => pagesIn(folder)),
  ...examples,
].map((path) => pageAt(path));

/** The anchors that a page's headings have on GitHub. */
export const anchorsOf = ({ text }: Page): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

export function pageAt(path: string): Page {
  return { path, text: readFileSync(join(root, path), "utf8") };
}

/**
 * Checks that the section between a page's two markers equals the text; `UPDATE_DOCS=1 npx jest test/docs` writes the
 * text into the section instead.
 */
export function holdSection(path: string, name: string, text: string): void {
  const { inside, withInside } = sectionOf(path, name);
  if (!isWritten(path, withInside(text))) expect(inside).toBe(text);
}

/** Writes the section between a page's two markers. */
export function writeSection(path: string, name: string, text: string): void {
  writeFileSync(join(root, path), sectionOf(path, name).withInside(text));
}

function sectionOf(path: string, name: string) {
  const [before, after] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [head = "", rest = ""] = pageAt(path).text.split(before);
  const [inside = "", tail] = rest.split(after);
  if (tail === undefined) throw new Error(`${path} has no section ${name}.`);
  return {
    inside: inside.trim(),
    withInside: (text: string) => `${head}${before}\n\n${text}\n\n${after}${tail}`,
  };
}

/** Checks that a whole file equals the text; `UPDATE_DOCS=1` writes the text into the file instead. */
export function holdFile(path: string, text: string): void {
  if (!isWritten(path, text)) expect(pageAt(path).text).toBe(text);
}

function isWritten(path: string, text: string): boolean {
  const isAsked = process.env["UPDATE_DOCS"] !== undefined;
  if (isAsked) writeFileSync(join(root, path), text);
  return isAsked;
}

/** The code blocks of one language, in their order, without the indentation of a list around them. */
export function codeBlocks({ text }: Page, language: string): string[] {
  return [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^\\1\`\`\``, "gm"))].map(
    ([, indent = "", code = ""]) => code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

/** The lines that a reader would paste from a page into a shell. */
export const commandsOf = (page: Page): string[] =>
  codeBlocks(page, "sh").flatMap((block) =>
    block
      .split("\n")
      .map((line) => line.replace(/\s+# .*/, "").trim())
      .filter((line) => line !== ""),
  );

/** README.md's first program as JavaScript: it declares the job `orders`. */
export function readmeProgram(): string {
  const [program = ""] = codeBlocks(pageAt("README.md"), "ts");
  // Several lines: a one-line program could be mistaken for a file name.
  return `\n// From README.md.\n${ts.transpile(program, { module: ts.ModuleKind.CommonJS })}`;
}
