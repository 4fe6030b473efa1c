import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, optionsOfReadme } from "../support/compile.js";
import { codeBlocks, commandsOf, linkTarget, pageAt, pages, root, type Page } from "../support/pages.js";
import { engineMessages } from "./engineMessages.js";

/** The anchors that a page's headings have on GitHub. */
const anchorsOf = ({ text }: Page): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

function deadLinks(page: Page): string[] {
  const links = [...page.text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    const target = linkTarget(page, link);
    if (target === undefined) return false;
    if (!existsSync(join(root, target.file))) return true;
    return target.anchor !== "" && !anchorsOf(pageAt(target.file)).includes(target.anchor);
  });
}

test.each(pages.map((page) => [page.path, page] as const))("The links of %s lead somewhere", (_path, page) => {
  expect(deadLinks(page)).toEqual([]);
});

test("Each TypeScript block of each page compiles with the tsconfig.json of README.md", () => {
  const blocks = pages.flatMap((page) =>
    codeBlocks(page, "ts").map((code, index): [string, string] => {
      const name = `${page.path.replaceAll("/", "-")}-${index}.ts`;
      return [join(root, name), code];
    }),
  );
  expect(new Set(blocks.map(([path]) => path)).size).toBeGreaterThan(3);
  expect(compile(new Map(blocks), optionsOfReadme())).toEqual([]);
});

describe("README.md", () => {
  const readme = pageAt("README.md");

  test("can be read in a minute", () => {
    expect(readme.text.split("\n").length - 1).toBeLessThanOrEqual(100);
  });

  test("names the command that the gate runs, and the one that shows an example", () => {
    expect(commandsOf(readme)).toEqual(expect.arrayContaining(["npm ci && npm start", "npm ci && npm test"]));
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("\nnpm ci && npm test");
  });
});

test("Each failure that docs/failures.md explains is quoted from a message that exists", () => {
  const [, chapter = ""] = pageAt("docs/failures.md").text.split("# When something fails\n");
  const [table = ""] = chapter.split("\n## ");
  // Users search the page for the quoted message of a row.
  const quotes = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, quote = ""]) => quote);
  const real = [...codeBlocks(pageAt("docs/messages.md"), "text"), ...Object.values(engineMessages)];
  expect(quotes.length).toBeGreaterThan(5);
  expect(quotes.filter((quote) => !real.some((message) => message.includes(quote)))).toEqual([]);
});
