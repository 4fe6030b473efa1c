/**
 * Everything that depends on the repository's address, which is set only in `repository` of provider/package.json. Empty if
 * no repository is set.
 */
export function publicationOf({ repository }: { readonly repository?: { readonly url: string } | undefined }) {
  const [, owner, name] = /github\.com\/([^/]+)\/([^/]+?)(?:\.git)?$/.exec(repository?.url ?? "") ?? [];
  if (owner === undefined || name === undefined) return {};
  const slug = `${owner}/${name}`;
  return {
    publisher: owner,
    repository: `https://github.com/${slug}`,
    // Where the engine looks for the archives: the repository's releases.
    pluginDownloadURL: `github://api.github.com/${slug}`,
    // By default, the .NET generator uses its own logo.
    logoUrl: `https://raw.githubusercontent.com/${slug}/main/docs/logo.svg`,
  };
}
