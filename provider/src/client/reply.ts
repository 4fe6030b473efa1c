import { isObject, parseJson } from "../json.js";

/** Deeper JSON is no reply of the service, and would overflow the stack of whoever walks through it. */
const maxDepth = 100;

/** Parses the text of a reply; undefined where it is no JSON that can be worked with. */
export function parseReply(text: string): unknown {
  const value = parseJson(text);
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return undefined;
    level = level.flatMap((inner) => (Array.isArray(inner) || isObject(inner) ? Object.values<unknown>(inner) : []));
  }
  return value;
}
