import { isObject, membersOf, parseJson } from "../json.js";
import { sentence, sentences, shortened, withoutEnd } from "../sentences.js";
import type { HttpResult, Reply } from "./http.js";
import { reportsFailure } from "./signs.js";
import type { Status } from "./statuses.js";
import { decoded } from "./unescaped.js";

/** JSON nested deeper than this is not a reply of the service. It would overflow the stack of recursive code. */
const maxDepth = 100;

/** Parses the body of a reply; undefined if the body is not usable JSON. */
function parseReply(text: string): unknown {
  const value = parseJson(text);
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return undefined;
    level = level.flatMap((inner) => (Array.isArray(inner) || isObject(inner) ? Object.values<unknown>(inner) : []));
  }
  return value;
}

/** The error message of a request without a 2xx answer. */
export function failureText(
  name: string,
  result: HttpResult,
  says: Status["says"],
  tries: number,
  hidden: readonly Hidden[],
): string {
  const tried = tries > 1 ? ` (${tries} tries)` : "";
  if (result.kind === "noReply") return `${name} failed: ${result.reason}${tried}.`;
  const { status, headers } = result;
  const { location } = headers;
  const reason = says?.includes("moved")
    ? redirectText(location && redact(location, hidden))
    : serverReason(result, hidden);
  const text = withoutEnd(reason);
  return sentence(`${name} failed with HTTP ${status}${text === "" ? "" : `: ${text}`}${tried}`);
}

/** Shows only the host: the rest of an address may contain something that must not be shown. */
function redirectText(location: string | undefined): string {
  const host = location !== undefined && URL.canParse(location) ? new URL(location).host : undefined;
  return host === undefined ? "a redirect, which is not followed" : `a redirect to ${host}, which is not followed`;
}

/** The service's reason, fit for a terminal: redacted, on one line, at most 500 characters; empty if there is none. */
export function serverReason(reply: Reply, hidden: readonly Hidden[]): string {
  const { body } = reply;
  if (body.trim() === "") return "";
  if (isWebPage(reply)) return webPage(body, hidden);
  const parsed = parseReply(body);
  const reason = sentences(reasonIn(parsed), membersNamedIn(parsed, hidden).join("; "));
  return oneLineOf(reason === "" ? (parsed === undefined ? body : JSON.stringify(parsed)) : reason, hidden);
}

/** What a 2xx reply contains instead of what was requested, as the end of "answered HTTP 200 …". */
export function unexpectedBody(reply: Reply, hidden: readonly Hidden[]): string {
  const { body } = reply;
  if (body.trim() === "") return " with an empty body";
  if (isWebPage(reply)) return ` with ${webPage(body, hidden)}`;
  const parsed = parseReply(body);
  if (parsed === undefined)
    return ` with something that is not JSON (${oneLineOf(contentType(reply), hidden) || "no content type"})`;
  const reason = reportsFailure(parsed) ? reasonIn(parsed) : undefined;
  return reason === undefined ? "" : ` with an error: ${oneLineOf(reason, hidden)}`;
}

/** Whether a reply is a web page, which means that something other than the service answered. */
export const isWebPage = (reply: Reply): boolean =>
  /html/i.test(contentType(reply)) || /^\s*<(!doctype|html)/i.test(reply.body);

const contentType = ({ headers }: Reply): string => headers["content-type"] ?? "";

/** The object in a reply, without the token; undefined if the body is not a JSON object. */
export function objectIn({ body }: Reply, token: string): Readonly<Record<string, unknown>> | undefined {
  const parsed = redactSaved(parseReply(body), token);
  return isObject(parsed) ? parsed : undefined;
}

function webPage(body: string, hidden: readonly Hidden[]): string {
  // Search only the start of a large page, with an expression that takes linear time.
  const title = /<title[^<>]*>([^<]{1,500})</i.exec(body.slice(0, 64 * 1024))?.[1];
  return title === undefined ? "a web page" : `a web page titled "${oneLineOf(title, hidden)}"`;
}

/** The reason in a reply: the first string, at any depth, in a member that services use for reasons. */
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

const maxMembersNamed = 5;

/**
 * What a refusal says about single members of the request, in the forms of common web frameworks: an object or an array
 * in a member such as `errors`, in the reply or in its `error`.
 */
function membersNamedIn(value: unknown, hidden: readonly Hidden[]): string[] {
  const parsed = membersOf(value);
  const texts = [parsed, membersOf(parsed["error"])].flatMap((one) =>
    ["errors", "validation", "validationErrors", "details", "invalid-params"].flatMap((name) =>
      memberTexts(one[name], hidden),
    ),
  );
  const more = texts.length - maxMembersNamed;
  return [...texts.slice(0, maxMembersNamed), ...(more > 0 ? [`and ${more} more`] : [])];
}

function memberTexts(named: unknown, hidden: readonly Hidden[]): string[] {
  const entries: readonly (readonly [unknown, unknown])[] = Array.isArray(named)
    ? named.map((entry: unknown) => [
        firstIn(entry, ["field", "location", "target", "name", "property", "path", "param", "loc"]),
        firstIn(entry, ["message", "reason", "detail", "msg", "description"]) ?? entry,
      ])
    : Object.entries(membersOf(named));
  return entries.flatMap(([name, text]) => {
    const [path, reason] = [name, text].map((one) => (Array.isArray(one) ? one.map(String).join(".") : one));
    if (typeof reason !== "string" || reason === "") return [];
    return [oneLineOf(typeof path === "string" && path !== "" ? `${path}: ${reason}` : reason, hidden, 150)];
  });
}

const firstIn = (value: unknown, names: readonly string[]): unknown =>
  names.map((name) => membersOf(value)[name]).find((member) => member !== undefined);

/** A string that must not be shown, and its replacement. */
export interface Hidden {
  readonly text: string;
  readonly shownAs: string;
}

const looksLikeJwt = /eyJ[\w-]{8,}(\.[\w-]+)*/g;

/** Makes a string fit for a message: replaces each `hidden` string and everything that looks like a token. */
export function redact(text: string, hidden: readonly Hidden[]): string {
  // Longest first: if a hidden string contains a shorter one, replacing the shorter one first leaves the rest visible.
  const ordered = hidden.filter(({ text: one }) => isRecognizable(one)).sort((a, b) => b.text.length - a.text.length);
  const redacted = ordered.reduce((rest, one) => withoutText(rest, one), text);
  // Half a surrogate pair is not valid UTF-8. Because of it, the engine would refuse the provider's whole reply and
  // lose the record of a job.
  return redacted.replace(looksLikeJwt, "<token>").toWellFormed();
}

/** Replaces a text in any case: databases report a name in their own case. */
function withoutText(whole: string, { text, shownAs }: Hidden): string {
  const [all, one] = [whole.toLowerCase(), text.toLowerCase()];
  // A few letters have another length in the other case.
  if (all.length !== whole.length || one.length !== text.length) return whole.replaceAll(text, shownAs);
  const left: string[] = [];
  let from = 0;
  for (let at = all.indexOf(one); at >= 0; at = all.indexOf(one, from)) {
    left.push(whole.slice(from, at));
    from = at + one.length;
  }
  return [...left, whole.slice(from)].join(shownAs);
}

/** What {@link redactSaved} writes in place of the token, or of half a surrogate pair. */
export const replaced = /<token>|\ufffd/;

/**
 * Prepares a value from a reply for saving: replaces the token in every string of the value. Unlike {@link redact}, it
 * keeps strings that only look like a token, because here they are data.
 */
export function redactSaved(value: unknown, token: string): unknown {
  const clean = (text: string) => (isRecognizable(token) ? text.replaceAll(token, "<token>") : text).toWellFormed();
  const walk = (inner: unknown): unknown => {
    if (typeof inner === "string") return clean(inner);
    if (typeof inner === "number" && String(inner) === token && isRecognizable(token)) return "<token>";
    if (Array.isArray(inner)) return inner.map(walk);
    if (!isObject(inner)) return inner;
    const members = Object.entries(inner).filter(([member]) => member !== "__proto__");
    return Object.fromEntries(members.map(([member, one]) => [clean(member), walk(one)]));
  };
  return walk(value);
}

/** Whether a string is long enough to redact: one or two characters, and blanks, occur in ordinary text. */
const isRecognizable = (token: string): boolean => token.trim().length > 2;

const hide = (texts: readonly string[], shownAs: string): Hidden[] =>
  [...new Set(texts)].map((text) => ({ text, shownAs }));

/** The forms in which a server may repeat a string: as it is, in JSON, in a web page, on one line. */
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

/** A token in the forms in which a server may echo it. */
export const hiddenToken = (token: string): readonly Hidden[] =>
  hide([...formsOf(token), encodeURIComponent(token)], "<token>");

/** The words of a secret that are long enough to be one: whoever repeats a part of it repeats such a word. */
export const longWords = (text: string): readonly string[] => text.match(/[^\s"'`,:;=&?|(){}[\]<>]{6,}/g) ?? [];

/** Secrets and their long words, each once. */
export class Secrets {
  /** Each with what {@link plain} makes of it. */
  private readonly known = new Map<string, string>();

  add(value: unknown): void {
    if (typeof value === "string" || typeof value === "number") {
      const text = String(value);
      if (this.known.has(text)) return;
      for (const one of [text, ...longWords(text)]) if (!this.known.has(one)) this.known.set(one, plain(one));
    } else if (typeof value === "object" && value !== null) for (const one of Object.values(value)) this.add(one);
  }

  /** Those that a text repeats, in the forms in which a server may repeat them. */
  in(text: string): readonly Hidden[] {
    const whole = plain(text);
    return [...this.known].flatMap(([secret, one]) =>
      isRecognizable(one) && whole.includes(one) ? hide(formsOf(secret), "<secret>") : [],
    );
  }
}

/** The values in `params`. Any value may be secret, so a message shows the path of the value instead. */
export function hiddenParams(params: unknown, path = "params"): Hidden[] {
  if (typeof params === "string") {
    return params === "true" || params === "false" ? [] : hide(formsOf(params), `<${path}>`);
  }
  if (typeof params === "number") return hide([String(params)], `<${path}>`);
  if (Array.isArray(params)) return params.flatMap((value) => hiddenParams(value, path));
  if (!isObject(params)) return [];
  return Object.entries(params).flatMap(([member, value]) => hiddenParams(value, `${path}.${member}`));
}

/**
 * A server's text on one line, cut to this length. Redacted again after the control characters are removed, because they
 * may have split a token. A text that repeats something hidden in a form that nothing here can find is not shown at all.
 */
export function oneLineOf(text: string, hidden: readonly Hidden[], length = 500): string {
  const shown = redact(oneLine(redact(text, hidden)), hidden);
  const rest = plain(hidden.reduce((whole, { shownAs }) => whole.replaceAll(shownAs, " "), shown));
  const isRepeated = hidden.map(({ text: one }) => plain(one)).some((one) => isRecognizable(one) && rest.includes(one));
  return isRepeated ? "a text that repeats a value that may be secret" : shortened(shown, length);
}

/** What a text says, in whatever form and case a server repeats it. */
const plain = (text: string): string => oneLine(decoded(text)).toLowerCase();

/** A text on one line, without the characters that could control a terminal. */
const oneLine = (text: string): string =>
  text
    .replace(/\u001b\[[\d;?]*[ -/]*[@-~]/g, "")
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cf}]/gu, "")
    .trim();
