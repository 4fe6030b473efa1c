import { isObject, parseJson } from "../json.js";
import type { Reply } from "./http.js";

// What stands beside a list, in the words of common web frameworks: the interface document shows nothing beside it. Other
// words say nothing about the list, whatever they mean: gateways add headers and members of their own.

const failure =
  /^(errs?|errors?|exceptions?|faults?|failures?)(messages?|msgs?|codes?|details?|descriptions?|info|texts?|reasons?|types?|counts?)?$|^(failed|timedout|degraded)$/;
const fine = /^\s*(ok|okay|success(ful)?|no[ _-]?errors?)\s*$/i;
const success = /^(is|was)?(success|successful|succeeded|ok)$/;
const status = /^(http|response|result)?(status|statuscode|statustext|code|result)$/;
const failed =
  /^(?!.*\b(no|0|without)\b).*(error|exception|fail|timed?[ _-]?out|partial|unsuccess|unavailable|^[45]\d\d$)/i;
const entries = "(pages?|items?|results?|records?|rows?|elements?|hits?|entr(?:y|ies)|jobs?)";
const more = new RegExp(
  `^(has|is)?((more|next)(${entries}|data)?(available|exists?|remaining)?|(truncated|partial|incomplete)(list|${entries})?|remaining)$|` +
    "^(next|continuation).*(link|cursor|token|url|href|marker|offset|number|start|index|skip|key)$|^(cursor|pagetoken)$",
);
const whole = /^(is)?(complete|whole|last|lastpage)$/;
const total = new RegExp(
  `^(count|(pagination|paging|wp)?total(?!time|duration).*|(${entries}|pagination)(total|count)|pages|lastpage)$`,
);

/** A name without case, signs and prefix: frameworks write `hasMore`, `has_more`, `@odata.hasMore` and `X-Has-More`. */
const wordOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^(.*[.:]|x-(ms-)?)/, "")
    .replace(/[^a-z\d]/g, "");

function isBlank(value: unknown): boolean {
  if (typeof value === "string") return /^\s*(|0|none|null|false)\s*$/i.test(value);
  if (typeof value === "object" && value !== null) return Object.values(value).every(isBlank);
  return value === undefined || value === null || value === false || value === 0;
}

const isNo = (value: unknown): boolean => [false, null, 0, "false", "no", "0"].some((no) => no === value);

const isFailure = (word: string, value: unknown): boolean =>
  (failure.test(word) && !isBlank(value) && !(typeof value === "string" && fine.test(value))) ||
  (success.test(word) && isNo(value)) ||
  (status.test(word) && failed.test(String(value)));

/** Whether an object reports a failure, whatever the status of its reply. */
export const reportsFailure = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).some(([name, member]) => isFailure(wordOf(name), member));

function speaks(name: string, value: unknown, length: number): boolean {
  const word = wordOf(name);
  if (isFailure(word, value) || (more.test(word) && !isBlank(value)) || (whole.test(word) && isNo(value))) return true;
  if (word === "rel") return value === "next";
  if (total.test(word) && Number(value) > (word.includes("page") ? 1 : length)) return true;
  const inner = (Array.isArray(value) ? value : [value]).filter(isObject);
  return inner.some((one) => Object.entries(one).some(([member, deep]) => speaks(member, deep, length)));
}

/** Whether a header says that a cache has kept the reply, or for how many seconds. */
const isOfCache = (name: string, value = ""): boolean =>
  name === "age"
    ? Number(value) > 0
    : (/^(x-)?(\w+-)*cache(-status)?$/.test(name) && /(^|[^a-z])(hit|stale|updating)\b/i.test(value)) ||
      (name === "warning" && /\b11[012]\b/.test(value));

/** Whether a cache may have kept a reply. Its `Date` may be of any time: of when it was kept, or of the gateway in front. */
export const isUndated = (headers: Reply["headers"]): boolean =>
  Object.keys(headers).some((name) => isOfCache(name, headers[name]));

function headerSpeaks(name: string, value: string, length: number): boolean {
  if (isOfCache(name, value)) return true;
  if (name === "link") return /rel\s*=\s*"?[^",;]*\bnext/i.test(value);
  const [, from, to, size] = name === "content-range" ? (/(\d+)-(\d+)\/(\d+|\*)/.exec(value) ?? []) : [];
  if (Number(from) > 0 || Number(size) > Math.min(Number(to) + 1, length)) return true;
  // ASP.NET writes the paging as JSON into one header.
  const parsed = parseJson(value);
  return speaks(name, isObject(parsed) ? parsed : value, length);
}

/**
 * The name of a member or header that says that a list is not the whole answer, or not today's: a link or cursor to more
 * entries, a total above its length, an error beside it, a cache that has kept it. Undefined if there is none. `member`: the one
 * with the list.
 */
export const signBeside = (
  { headers }: Pick<Reply, "headers">,
  body: Readonly<Record<string, unknown>>,
  { member, length }: { readonly member: string; readonly length: number },
): string | undefined =>
  Object.keys(body).find((name) => name !== member && speaks(name, body[name], length)) ??
  Object.keys(headers).find((name) => headerSpeaks(name, headers[name] ?? "", length));
