import { pluginSchema } from "../../scripts/schema/index.js";
import { examplesMarkdown, settingsMarkdown } from "../../scripts/pages/tables.js";
import { holdFile, holdSection } from "../support/pages.js";

describe("The generated tables", () => {
  test("docs/configuration.md has a row for each setting that is read", () => {
    holdSection("docs/configuration.md", "settings", settingsMarkdown());
  });

  test("docs/examples.md has a row for each example", () => {
    holdSection("docs/examples.md", "examples", examplesMarkdown());
  });
});

describe("The generated files", () => {
  test("provider/schema.json has the inputs, outputs and settings of today, with what is said of them", () => {
    holdFile("provider/schema.json", `${JSON.stringify(pluginSchema(), undefined, 2)}\n`);
  });
});
