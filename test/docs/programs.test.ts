import { join } from "node:path";
import { compile, optionsOfReadme } from "../support/compile.js";
import { codeBlocks, pages, root } from "../support/pages.js";

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
