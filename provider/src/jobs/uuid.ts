const digits = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i;

/**
 * A UUID in its usual form, in the case in which it is written; undefined for any other string. A service may write it in
 * braces or without hyphens.
 */
export function uuidIn(text: string): string | undefined {
  const [, inner = text] = /^\{(.*)\}$/.exec(text) ?? [];
  const [, ...groups] = digits.exec(inner) ?? [];
  return groups.length === 0 ? undefined : groups.join("-");
}
