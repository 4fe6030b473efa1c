import { isObject, parseJson } from "../json.js";
import type { Reply } from "./http.js";
import { oneLineOf, type Hidden } from "./redact.js";

/** Deeper JSON is not a reply of the service, and would overflow the stack of the code that walks through it. */
const maxDepth = 100;

/** Parses the body of a reply; undefined where it is not JSON that can be worked with. */
export function parseReply(text: string): unknown {
  const value = parseJson(text);
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return undefined;
    level = level.flatMap((inner) => (Array.isArray(inner) || isObject(inner) ? Object.values<unknown>(inner) : []));
  }
  return value;
}

/** The service's own reason, fit for a terminal: redacted, on one line, at most 500 characters; empty where it gave none. */
export function serverReason({ body, contentType }: Reply, hidden: readonly Hidden[]): string {
  if (body === undefined || body.trim() === "") return "";
  if (isWebPage(body, contentType)) return webPage(body, hidden);
  return oneLineOf(reasonIn(parseReply(body)) ?? body, hidden);
}

/** What a 2xx reply holds in place of what was asked for, as the end of "answered HTTP 200 …". */
export function unexpectedBody({ body, bodyProblem, contentType }: Reply, hidden: readonly Hidden[]): string {
  if (body === undefined) return `, but ${bodyProblem ?? "the reply broke off"}`;
  if (body.trim() === "") return " with an empty body";
  if (isWebPage(body, contentType)) return ` with ${webPage(body, hidden)}`;
  const parsed = parseReply(body);
  if (parsed === undefined)
    return ` with something that is not JSON (${oneLineOf(contentType, hidden) || "no content type"})`;
  const reason = isErrorObject(parsed) ? reasonIn(parsed) : undefined;
  return reason === undefined ? "" : ` with an error: ${oneLineOf(reason, hidden)}`;
}

/** Whether a reply is a web page: something other than the service answered. */
export const isWebPage = (body: string, contentType: string): boolean =>
  /html/i.test(contentType) || /^\s*<(!doctype|html)/i.test(body);

/** The object that a reply holds; undefined for a web page, for anything else, and for an object that tells of a failure. */
export function objectIn({ body, contentType }: Reply): Readonly<Record<string, unknown>> | undefined {
  const parsed = body === undefined || isWebPage(body, contentType) ? undefined : parseReply(body);
  return isObject(parsed) && !isErrorObject(parsed) ? parsed : undefined;
}

/** Whether a JSON reply tells of a failure, whatever its status says. */
const isErrorObject = (value: unknown): boolean => isObject(value) && (value["error"] ?? false) !== false;

function webPage(body: string, hidden: readonly Hidden[]): string {
  // Not in a page of megabytes, and by an expression whose time grows with the text alone.
  const title = /<title[^<>]*>([^<]{1,500})</i.exec(body.slice(0, 64 * 1024))?.[1];
  return title === undefined ? "a web page" : `a web page titled "${oneLineOf(title, hidden)}"`;
}

/** The members in which services put a reason, the innermost string first found. */
function reasonIn(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (!isObject(value)) return undefined;
  for (const member of ["error", "message", "detail", "title", "error_description", "code"]) {
    const reason = reasonIn(value[member]);
    if (reason === undefined) continue;
    const code = value["code"];
    return member === "message" && typeof code === "string" ? `${code}: ${reason}` : reason;
  }
  return undefined;
}
