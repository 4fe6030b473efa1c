/**
 * The address of a service as it may be printed: scheme and host only. A user, path, query or fragment may be a secret,
 * and so may any part of an address that cannot be parsed.
 */
export function showAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return "(not shown: it cannot be parsed as an http address)";
  // If a password contains an unescaped slash, the part before the slash is parsed as the host.
  if (url.pathname.includes("@")) return "(not shown: it has an @ behind a slash)";
  const hidden = [
    ...(url.username === "" && url.password === "" ? [] : ["user"]),
    ...(url.pathname === "/" ? [] : ["path"]),
    ...(url.search === "" ? [] : ["query"]),
    ...(url.hash === "" ? [] : ["fragment"]),
  ];
  if (hidden.length === 0) return url.origin;
  return `${url.origin} with a ${hidden.join(" and a ")} (not shown)`;
}
