/**
 * The address of a service as it may be printed: scheme and host alone. A user, a path, a query or a fragment may be a
 * secret, and of what cannot be parsed any part may be one.
 */
export function showAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return "(not shown: it cannot be parsed as an http address)";
  // A password with an unescaped slash in it: what comes before the slash is parsed as the host.
  if (url.pathname.includes("@")) return "(not shown: it has an @ behind a slash)";
  const hidden = [
    ...(url.username === "" && url.password === "" ? [] : ["user"]),
    ...(url.pathname === "/" ? [] : ["path"]),
    ...(url.search === "" ? [] : ["query"]),
    ...(url.hash === "" ? [] : ["fragment"]),
  ];
  if (hidden.length === 0) return url.origin;
  return `${url.origin} (not shown: ${hidden.join(", ")})`;
}
