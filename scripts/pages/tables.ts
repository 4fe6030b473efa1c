import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { namespace, settingsTable, type Setting } from "../../provider/src/config/index.js";

const examples = resolve(__dirname, "../../examples");

/** The table of docs/examples.md as Markdown: each example with the title of its README.md. */
export function examplesMarkdown(): string {
  const rows = readdirSync(examples)
    .filter((name) => existsSync(join(examples, name, "README.md")))
    .map((name) => {
      const [title = ""] = readFileSync(join(examples, name, "README.md"), "utf8").split("\n");
      return `| [\`${name}\`](../examples/${name}) | ${title.replace(/^# /, "")} |`;
    });
  return ["| folder | what it shows |", "|---|---|", ...rows].join("\n");
}

/** The settings of docs/configuration.md as Markdown: one row for each setting that is read. */
export function settingsMarkdown(): string {
  const code = (name: string | undefined) => (name === undefined ? "–" : `\`${name}\``);
  const rows = Object.values<Setting>(settingsTable).map(
    (setting) => `| ${code(setting.key)} | ${code(setting.variable)} | ${setting.default} | ${setting.meaning} |`,
  );
  return [`| key \`${namespace}:\` | environment | default | meaning |`, "|---|---|---|---|", ...rows].join("\n");
}
