import { readResults, report } from "../../bench/results.js";
import { examplesMarkdown } from "../../scripts/pages/examplesTable.js";
import { registryIndex, registryInstallation } from "../../scripts/pages/registryPages.js";
import { pluginSchema } from "../../scripts/schema/index.js";
import { settingsMarkdown } from "../../scripts/pages/settingsTable.js";
import { transitionMarkdown, transitionMarkdownWithAll } from "../../scripts/pages/transitionTable.js";
import { holdFile, holdSection } from "../support/pages.js";

describe("The generated tables", () => {
  test("docs/configuration.md has a row for each setting that is read", () => {
    holdSection("docs/configuration.md", "settings", settingsMarkdown());
  });

  test("docs/lifecycle.md has a row for each transition", () => {
    holdSection("docs/lifecycle.md", "transitions", transitionMarkdown());
  });

  test("docs/all-operations.md has a row for each transition with jobOperations: all", () => {
    holdSection("docs/all-operations.md", "transitions", transitionMarkdownWithAll());
  });

  test("docs/performance.md has what the run in docs/bench.json measured", () => {
    holdSection("docs/performance.md", "bench", report(readResults()));
  });

  test("docs/examples.md has a row for each example", () => {
    holdSection("docs/examples.md", "examples", examplesMarkdown());
  });
});

describe("The generated files", () => {
  test("docs/_index.md has the programs of docs/other-languages.md, for the Pulumi Registry", () => {
    holdFile("docs/_index.md", registryIndex());
  });

  test("docs/installation-configuration.md has the projects of docs/other-languages.md and the settings", () => {
    holdFile("docs/installation-configuration.md", registryInstallation());
  });

  test("provider/schema.json has the inputs, outputs and settings of today, with what is said of them", () => {
    holdFile("provider/schema.json", `${JSON.stringify(pluginSchema(), undefined, 2)}\n`);
  });
});
