import { existsSync } from "node:fs";
import { join } from "node:path";
import { linkTarget, pageAt, pages, root, type Page } from "../support/pages.js";

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
