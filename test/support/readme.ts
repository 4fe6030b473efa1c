import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

/** The root of the project. */
export const root = resolve(__dirname, "..", "..");

const file = resolve(root, "README.md");

/** The README as it stands. */
export const readme = readFileSync(file, "utf8");

/** What stands between a section's two markers, without the empty lines around it. */
export function section(name: string): string {
  const [, inside] = new RegExp(`<!-- ${name} -->([\\s\\S]*?)<!-- /${name} -->`).exec(readme) ?? [];
  if (inside === undefined) throw new Error(`README.md has no section ${name}.`);
  return inside.trim();
}

/** Holds a section to what the code says; `UPDATE_DOCS=1 npx jest test/docs` writes it instead. */
export function holdSection(name: string, text: string): void {
  if (process.env["UPDATE_DOCS"] !== undefined) {
    const [before, after] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const now = readFileSync(file, "utf8");
    const [head = "", rest = ""] = now.split(before);
    writeFileSync(file, `${head}${before}\n\n${text}\n\n${after}${rest.split(after)[1] ?? ""}`);
    return;
  }
  expect(section(name)).toBe(text);
}

/** The code blocks of one language, in their order, without the indentation of a list around them. */
export function codeBlocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^\\1\`\`\``, "gm"))].map(
    ([, indent = "", code = ""]) => code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}
