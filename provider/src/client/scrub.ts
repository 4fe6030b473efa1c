import { isObject } from "../json.js";
import { parseReply } from "./reply.js";

/** A text that must not be shown, and what stands in its place. */
export interface Hidden {
  readonly text: string;
  readonly shownAs: string;
}

const looksLikeJwt = /eyJ[\w-]{8,}(\.[\w-]+)*/g;

/** Half a surrogate pair is no UTF-8: the engine would refuse the whole answer, and with it the record of a job. */
const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, "\ufffd");

export const scrub = (text: string, hidden: readonly Hidden[]): string => scrubber(hidden)(text);

/** The longest first, so that a part of one hidden text does not leave the rest of it standing. */
function scrubber(hidden: readonly Hidden[]): (text: string) => string {
  const ordered = hidden.filter((one) => one.text.length > 2).sort((a, b) => b.text.length - a.text.length);
  return (text) => {
    const scrubbed = ordered.reduce((rest, one) => rest.replaceAll(one.text, one.shownAs), text);
    return wellFormed(scrubbed.replace(looksLikeJwt, "<token>"));
  };
}

const hide = (texts: readonly string[], shownAs: string): Hidden[] =>
  [...new Set(texts)].map((text) => ({ text, shownAs }));

/** A text as a server may write it: as it is, in JSON, in a web page, on one line. */
const formsOf = (text: string): string[] => [
  text,
  JSON.stringify(text).slice(1, -1),
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character),
  oneLine(text),
];

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

let latest: { readonly token: string; readonly hidden: readonly Hidden[] } | undefined;

/** A token in every form in which a server may echo it. */
export function hiddenToken(token: string): readonly Hidden[] {
  // Every reply is scrubbed, and nearly all with the same token.
  if (latest?.token !== token) latest = { token, hidden: formsOfToken(token) };
  return latest.hidden;
}

function formsOfToken(token: string): Hidden[] {
  const bytes = Buffer.from(token);
  const encoded = [0, 1, 2].flatMap((offset) => [
    base64Within(bytes, offset),
    base64Within(bytes, offset, "base64url"),
  ]);
  return hide([...formsOf(token), encodeURIComponent(token), bytes.toString("hex"), ...encoded], "<token>");
}

/** What base64 makes of a text that stands behind `offset` bytes of another one: the characters that it alone decides. */
function base64Within(bytes: Buffer, offset: number, encoding: "base64" | "base64url" = "base64"): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString(encoding);
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** The values of `params`: any of them may be secret, so a server's text shows the member's name in their place. */
export function hiddenParams(params: unknown, path = "params"): Hidden[] {
  if (typeof params === "string") {
    return params === "true" || params === "false" ? [] : hide(formsOf(params), `<${path}>`);
  }
  if (typeof params === "number") return hide([String(params)], `<${path}>`);
  if (Array.isArray(params)) return params.flatMap((value) => hiddenParams(value, path));
  if (!isObject(params)) return [];
  return Object.entries(params).flatMap(([member, value]) => hiddenParams(value, `${path}.${member}`));
}

/** Removes hidden texts from every text in a value that came from the service, before it is saved or shown. */
export function scrubDeep(value: unknown, hidden: readonly Hidden[]): unknown {
  const clean = scrubber(hidden);
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return clean(value);
    if (Array.isArray(value)) return value.map(walk);
    if (!isObject(value)) return value;
    const members = Object.entries(value).filter(([member]) => member !== "__proto__");
    return Object.fromEntries(members.map(([member, inner]) => [clean(member), walk(inner)]));
  };
  return walk(value);
}

/** The server's own reason, fit for a terminal: scrubbed, on one line, at most 500 characters; empty where it gave none. */
export function serverReason(body: string | undefined, contentType: string, hidden: readonly Hidden[]): string {
  if (body === undefined || body.trim() === "") return "";
  if (/html/i.test(contentType) || /^\s*<(!doctype|html)/i.test(body)) return htmlReason(body, hidden);
  return shown(reasonIn(parseReply(body)) ?? body, hidden);
}

/** A text of the server's on one line, at most 500 characters. Scrubbed before and after: control characters may have hidden a token. */
export function shown(text: string, hidden: readonly Hidden[]): string {
  const clean = scrub(oneLine(scrub(text, hidden)), hidden);
  return clean.length > 500 ? `${wellFormed(clean.slice(0, 499))}…` : clean;
}

function htmlReason(body: string, hidden: readonly Hidden[]): string {
  const title = /<title[^>]*>([^<]{1,500})</i.exec(body)?.[1];
  return title === undefined ? "a web page" : `a web page titled "${shown(title, hidden)}"`;
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

/** Without the characters that could steer a terminal. */
const oneLine = (text: string): string =>
  text
    .replace(/\u001b\[[\d;?]*[ -/]*[@-~]/g, "")
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim();
