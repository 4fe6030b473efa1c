import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(__dirname, "../../examples");

/** The table of docs/examples.md as Markdown: each example with the title of its README.md. */
export function examplesMarkdown(): string {
  const rows = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "README.md")))
    .map((name) => {
      const [title = ""] = readFileSync(join(folder, name, "README.md"), "utf8").split("\n");
      return `| [\`${name}\`](../examples/${name}) | ${title.replace(/^# /, "")} |`;
    });
  return ["| folder | what it shows |", "|---|---|", ...rows].join("\n");
}
