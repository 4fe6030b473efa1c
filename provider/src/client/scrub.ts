import { isObject, parseJson } from "../json.js";

/** A text that must not be shown, and what stands in its place. */
export interface Hidden {
  readonly text: string;
  readonly shownAs: string;
}

const looksLikeJwt = /eyJ[\w-]{8,}(\.[\w-]+)*/g;

/** The longest first, so that a part of one hidden text does not leave the rest of it standing. */
export function scrub(text: string, hidden: readonly Hidden[]): string {
  return [...hidden]
    .filter((one) => one.text.length > 2)
    .sort((a, b) => b.text.length - a.text.length)
    .reduce((scrubbed, one) => scrubbed.replaceAll(one.text, one.shownAs), text)
    .replace(looksLikeJwt, "<token>");
}

/** A token in every form in which a server may echo it. */
export const hiddenToken = (token: string): Hidden[] =>
  [token, encodeURIComponent(token), Buffer.from(token).toString("base64")].map((text) => ({
    text,
    shownAs: "<token>",
  }));

/** The values of `params`: any of them may be secret, so a server's text shows the member's name in their place. */
export function hiddenParams(params: unknown, path = "params"): Hidden[] {
  if (typeof params === "string") {
    return params === "true" || params === "false" ? [] : [{ text: params, shownAs: `<${path}>` }];
  }
  if (typeof params === "number") return [{ text: String(params), shownAs: `<${path}>` }];
  if (Array.isArray(params)) return params.flatMap((value) => hiddenParams(value, path));
  if (!isObject(params)) return [];
  return Object.entries(params).flatMap(([member, value]) => hiddenParams(value, `${path}.${member}`));
}

/** Removes hidden texts from every text in a value that came from the service, before it is saved or shown. */
export function scrubDeep(value: unknown, hidden: readonly Hidden[]): unknown {
  if (typeof value === "string") return scrub(value, hidden);
  if (Array.isArray(value)) return value.map((inner) => scrubDeep(inner, hidden));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, scrubDeep(inner, hidden)]));
}

/** The server's own reason, fit for a terminal: scrubbed, on one line, at most 500 characters; empty where it gave none. */
export function serverReason(body: string | undefined, contentType: string, hidden: readonly Hidden[]): string {
  if (body === undefined || body.trim() === "") return "";
  if (/html/i.test(contentType) || /^\s*<(!doctype|html)/i.test(body)) return htmlReason(body, hidden);
  const text = reasonIn(parseJson(body)) ?? body;
  return oneLine(scrub(text, hidden));
}

function htmlReason(body: string, hidden: readonly Hidden[]): string {
  const title = /<title[^>]*>([^<]{1,500})</i.exec(body)?.[1];
  return title === undefined ? "a web page" : `a web page titled "${oneLine(scrub(title, hidden))}"`;
}

/** The members in which services put a reason, the innermost text first found. */
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

function oneLine(text: string): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return clean.length > 500 ? `${clean.slice(0, 499)}…` : clean;
}
