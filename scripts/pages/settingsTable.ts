import { namespace, settingsTable, type Setting } from "../../provider/src/config/index.js";

/** The settings of docs/configuration.md as Markdown: one row for each setting that is read. */
export function settingsMarkdown(): string {
  const rows = Object.values(settingsTable).map((setting: Setting) => {
    const key = setting.key === undefined ? "–" : `\`${setting.key}\``;
    const variable = setting.variable === undefined ? "–" : `\`${setting.variable}\``;
    return `| ${key} | ${variable} | ${setting.default} | ${setting.meaning} |`;
  });
  return [`| key \`${namespace}:\` | environment | default | meaning |`, "|---|---|---|---|", ...rows].join("\n");
}
