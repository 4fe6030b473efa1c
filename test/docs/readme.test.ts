import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandsOf, pageAt, root } from "../support/pages.js";

const readme = pageAt("README.md");

test("README.md can be read in a minute", () => {
  expect(readme.text.split("\n").length - 1).toBeLessThanOrEqual(100);
});

test("README.md names the command that the gate runs, and the one that shows an example", () => {
  expect(commandsOf(readme)).toEqual(expect.arrayContaining(["npm ci && npm start", "npm ci && npm test"]));
  expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("\nnpm ci && npm test");
});
