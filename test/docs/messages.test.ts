import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { root } from "../support/pages.js";
import { ofCreates, ofDeclarations, ofSettings, ofTheLifecycle, type Row } from "./everyMessage.js";

const file = resolve(root, "docs", "messages.md");

/** The same text in each run: no ports, and no time of today. */
const settled = (text: string): string =>
  text
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:<port>")
    // How often it was tried within the time is chance.
    .replace(/ \(\d+ tries\)/g, "")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (Math.abs(Date.now() - Date.parse(time)) < 60_000 ? "<now>" : time))
    .replace(/changedAtService: "\d{4}-\d\d-\d\d"/g, 'changedAtService: "<today>"');

const chapter = (title: string, rows: readonly Row[]): string =>
  [
    `## ${title}`,
    ...rows.map(([situation, message]) => `**${situation}**\n\n\`\`\`text\n${settled(message)}\n\`\`\``),
  ].join("\n\n");

it("Every message of the package is in one list, as the user reads it", async () => {
  const list = [
    "# Every message",
    "Made by `UPDATE_DOCS=1 npx jest test/docs/messages`, and held by the same test. Read it aloud after a change: what happened, to what, whether anything was created, what to do.",
    chapter("A declaration that is refused in check", ofDeclarations()),
    chapter("A setting that is missing or malformed", ofSettings()),
    chapter("A create, and what came of it", await ofCreates()),
    chapter("A job that exists, or that is in doubt", ofTheLifecycle()),
  ].join("\n\n");
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(file, `${list}\n`);
  expect(`${list}\n`).toBe(readFileSync(file, "utf8"));
});
