import { engineMessages } from "../support/engineMessages.js";
import { codeBlocks, pageAt } from "../support/pages.js";

test("Each failure that the runbook explains is quoted from a message that exists", () => {
  const [, table = ""] = pageAt("docs/runbook.md").text.split("## Messages of the engine\n");
  // Users search the page for the quoted message of a row.
  const quotes = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, quote = ""]) => quote);
  const real = [...codeBlocks(pageAt("docs/messages.md"), "text"), ...Object.values(engineMessages)];
  expect(quotes.length).toBeGreaterThan(4);
  expect(quotes.filter((quote) => !real.some((message) => message.includes(quote)))).toEqual([]);
});
