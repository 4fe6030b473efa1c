import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compile, optionsOfTemplate } from "../support/compile.js";
import { anchorsOf, codeBlocks, commandsOf, pageAt, pages, root, type Page } from "../support/pages.js";

/** The page's links that lead nowhere in the repository. */
function deadLinks(page: Page): string[] {
  const links = [...page.text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = "", anchor = ""] = link.split("#");
    const file = path === "" ? page.path : join(dirname(page.path), path);
    if (!existsSync(join(root, file))) return true;
    return anchor !== "" && !anchorsOf(pageAt(file)).includes(anchor);
  });
}

test.each(pages.map((page) => [page.path, page] as const))("The links of %s lead somewhere", (_path, page) => {
  expect(deadLinks(page)).toEqual([]);
});

test("Each TypeScript block of each page compiles with the tsconfig.json of the template", () => {
  const blocks = pages.flatMap((page) =>
    codeBlocks(page, "ts").map((code, index): [string, string] => {
      const name = `${page.path.replaceAll("/", "-")}-${index}.ts`;
      return [join(root, name), code];
    }),
  );
  expect(new Set(blocks.map(([path]) => path)).size).toBeGreaterThan(3);
  expect(compile(new Map(blocks), optionsOfTemplate())).toEqual([]);
});

/** What `wc -w` counts in the pages that a user reads. */
const budget = 10_500;
const words = pages
  .filter(({ path }) => /^(README|docs\/(?!messages)[\w-]+)\.md$/.test(path))
  .reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0);

test(`All pages of users can be read in an hour: ${budget - words} words are left of ${budget}`, () => {
  expect(words).toBeLessThanOrEqual(budget);
});

test("Each section of the runbook has its rehearsal, which test/engine/rehearsals plays", () => {
  const [, table = ""] = pageAt("docs/testing.md").text.split("To rehearse [the runbook]");
  const rehearsed = [...table.matchAll(/^\| (.+?) \|/gm)].map(([, section = ""]) => section);
  const sections = [...pageAt("docs/runbook.md").text.matchAll(/^## (.*)$/gm)].map(([, section = ""]) => section);
  expect(sections.filter((section) => !rehearsed.includes(section))).toEqual(["Messages of the engine"]);
});

describe("README.md", () => {
  const readme = pageAt("README.md");

  test("can be read in a minute", () => {
    expect(readme.text.split("\n").length - 1).toBeLessThanOrEqual(110);
  });

  test("names the command that the gate runs, and the one that shows an example", () => {
    expect(commandsOf(readme)).toEqual(expect.arrayContaining(["npm ci && npm start", "npm ci && npm test"]));
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("\nnpm ci && npm test");
  });
});
