import { membersOf } from "./json.js";

// `require`, because bundlers of a user's program then include the file. A bundle has no package.json next to it.
const manifest: unknown = require("../package.json");
const { version: found, repository } = membersOf(manifest);

/** The version of this package, from its package.json. */
export const version = typeof found === "string" ? found : "unknown";

/** Where the repository has this version's pages; undefined unless package.json names a repository at GitHub. */
export function pagesAt(url: unknown = membersOf(repository)["url"]): string | undefined {
  const [, slug] = /github\.com\/([^/]+\/[^/]+?)(?:\.git)?$/.exec(typeof url === "string" ? url : "") ?? [];
  return slug === undefined ? undefined : `https://github.com/${slug}/blob/v${version}/docs`;
}
