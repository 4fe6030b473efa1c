import { examplesMarkdown } from "../../scripts/pages/examplesTable.js";
import { settingsMarkdown } from "../../scripts/pages/settingsTable.js";
import { transitionMarkdown } from "../../scripts/pages/transitionTable.js";
import { holdSection } from "../support/pages.js";

describe("The generated tables", () => {
  test("README.md has a row for each setting that is read", () => {
    holdSection("README.md", "settings", settingsMarkdown());
  });

  test("docs/lifecycle.md has a row for each transition", () => {
    holdSection("docs/lifecycle.md", "transitions", transitionMarkdown());
  });

  test("docs/examples.md has a row for each example", () => {
    holdSection("docs/examples.md", "examples", examplesMarkdown());
  });
});
