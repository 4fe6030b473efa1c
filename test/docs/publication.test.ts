import { existsSync } from "node:fs";
import { join } from "node:path";
import { publicationOf } from "../../scripts/schema/publication.js";
import { version } from "../../provider/src/version.js";
import { pageAt, root } from "../support/pages.js";

describe("The schema", () => {
  test("names no place as long as no repository is set", () => {
    expect(publicationOf({})).toEqual({});
  });

  test.each(["git+https://github.com/an-owner/a-name.git", "https://github.com/an-owner/a-name"])(
    "takes all that the registry asks for from the repository %s",
    (url) => {
      expect(publicationOf({ repository: { url } })).toEqual({
        publisher: "an-owner",
        repository: "https://github.com/an-owner/a-name",
        pluginDownloadURL: "github://api.github.com/an-owner/a-name",
        logoUrl: "https://raw.githubusercontent.com/an-owner/a-name/main/docs/logo.svg",
      });
      expect(existsSync(join(root, "docs/logo.svg"))).toBe(true);
    },
  );
});

test("docs/other-languages.md names the plugin of this version", () => {
  const named = [
    ...pageAt("docs/other-languages.md").text.matchAll(/(?:data-connectivity[- ]v?|version: )(\d+\.\d+\.\d+)/g),
  ];
  expect(named.length).toBeGreaterThan(5);
  expect(new Set(named.map(([, found]) => found))).toEqual(new Set([version]));
});
