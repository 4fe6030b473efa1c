import { codeBlocks, pageAt } from "../support/pages.js";
import { engineMessages } from "./engineMessages.js";

/** The quoted message of each table row. Users search the page for this message. */
function quotedFailures(): string[] {
  const [, chapter = ""] = pageAt("docs/failures.md").text.split("# When something fails\n");
  const [table = ""] = chapter.split("\n## ");
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, quote = ""]) => quote);
}

test("Each failure that docs/failures.md explains is quoted from a message that exists", () => {
  const real = [...codeBlocks(pageAt("docs/messages.md"), "text"), ...Object.values(engineMessages)];
  const quotes = quotedFailures();
  expect(quotes.length).toBeGreaterThan(5);
  expect(quotes.filter((quote) => !real.some((message) => message.includes(quote)))).toEqual([]);
});
