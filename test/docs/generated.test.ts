import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../provider/src/version.js";
import { pluginSchema, publicationOf } from "../../scripts/schema/index.js";
import { programs, registryPages } from "../../scripts/pages/registry.js";
import { settingsMarkdown } from "../../scripts/schema/settings.js";
import { exceptions } from "../support/all/previewExceptions.js";
import { codeBlocks, holdFile, holdSection, pageAt, root } from "../support/pages.js";

test("docs/configuration.md has a row for each setting that is read", () => {
  holdSection("docs/configuration.md", "settings", settingsMarkdown());
});

test("docs/all-operations.md has what a preview cannot know", () => {
  const lines = exceptions.map(({ name, why }) => `- **${name}:** ${why}`);
  holdSection("docs/all-operations.md", "exceptions", lines.join("\n"));
});

test("examples/README.md has a row for each example", () => {
  const rows = readdirSync(join(root, "examples"))
    .filter((name) => existsSync(join(root, "examples", name, "README.md")))
    .map((name) => {
      const [title = ""] = pageAt(`examples/${name}/README.md`).text.split("\n");
      return `| [\`${name}\`](${name}) | ${title.replace(/^# /, "")} |`;
    });
  holdSection("examples/README.md", "examples", ["| folder | what it shows |", "|---|---|", ...rows].join("\n"));
});

test("provider/schema.json has the inputs, outputs and settings of today, with what is said of them", () => {
  holdFile("provider/schema.json", `${JSON.stringify(pluginSchema(), undefined, 2)}\n`);
});

describe("The schema", () => {
  test("names no place as long as no repository is set", () => {
    expect(publicationOf()).toEqual({});
  });

  test.each(["git+https://github.com/an-owner/a-name.git", "https://github.com/an-owner/a-name"])(
    "takes all that the registry asks for from the repository %s",
    (url) => {
      expect(publicationOf(url)).toEqual({
        publisher: "an-owner",
        repository: "https://github.com/an-owner/a-name",
        pluginDownloadURL: "github://api.github.com/an-owner/a-name",
        logoUrl: "https://raw.githubusercontent.com/an-owner/a-name/main/docs/logo.svg",
      });
      expect(existsSync(join(root, "docs/logo.svg"))).toBe(true);
    },
  );
});

test("The pages for the registry have a program of each language, and the plugin of this version", () => {
  const { "_index.md": index = "", "installation-configuration.md": installation = "" } = registryPages();
  for (const language of Object.keys(programs)) {
    const [program = ""] = codeBlocks({ path: language, text: index }, language);
    expect(program).toMatch(/orders/);
  }
  expect(installation).toContain(`version: ${version}\n`);
});
