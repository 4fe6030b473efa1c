import { asText, isObject, parseJson } from "../json.js";
import type { Reply } from "./http.js";

// What stands beside a list, in the words of common web frameworks: the interface document shows nothing beside it. Other
// words say nothing about the list, whatever they mean: gateways add headers and members of their own.

const failure =
  /^(errs?|errors?|exceptions?|faults?|failures?)(messages?|msgs?|codes?|details?|descriptions?|info|texts?|reasons?|types?|counts?)?$|^(failed|timedout|degraded)$/;
const fine = /^\s*(ok|okay|success(ful)?)?\s*$/i;
const success = /^(is|was)?(success|successful|succeeded|ok)$/;
const status = /^(http|response|result)?(status|statuscode|statustext|code|result)$/;
const failed = /error|exception|fail|timed?[ _-]?out|partial|unsuccess|unavailable|^[45]\d\d$/i;
/** "Completed without errors", "0 failed". */
const denied =
  /\b(no|0|without)([ _-]?|[ _-][\w -]{0,40}?)(errors?|exceptions?|fail(ed|ures?)?|timed?[ _-]?outs?|partial)\b/gi;
const entries = "(pages?|items?|results?|records?|rows?|elements?|hits?|entr(?:y|ies)|jobs?)";
const more = new RegExp(
  `^(has|is)?((more|next)(${entries}|data)?(available|exists?|remaining)?|(truncated|partial|incomplete)(list|${entries})?|remaining)$|` +
    "^(next|continuation).*(link|cursor|token|url|href|marker|offset|number|start|index|skip|key)$|^(cursor|pagetoken)$",
);
const whole = /^(is)?(complete|whole|last|lastpage)$/;
const total = new RegExp(
  `^(count|(pagination|paging|wp)?total(?!time|duration).*|(${entries}|pagination)(total|count)|pages|lastpage)$`,
);

const pageSize = /^(limit|pagesize|perpage|maxresults)$/;

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

const isNo = (value: unknown): boolean =>
  value === false || value === null || value === 0 || /^\s*(false|no|0)\s*$/i.test(asText(value));

const valuesIn = (value: unknown): readonly unknown[] => (isObject(value) ? Object.values(value) : [value]);
const withoutDenied = (value: unknown): string => (isObject(value) ? "" : asText(value).replace(denied, ""));

const isFailure = (word: string, value: unknown): boolean =>
  (failure.test(word) && !isBlank(value) && !(typeof value === "string" && fine.test(withoutDenied(value)))) ||
  (success.test(word) && isNo(value)) ||
  (status.test(word) && valuesIn(value).some((one) => failed.test(withoutDenied(one))));

/** Whether a total, perhaps with separators or beside what it means, is above what there is. */
const isAbove = (total: unknown, length: number): boolean =>
  isObject(total)
    ? isAbove(total["value"], length)
    : Number(typeof total === "string" ? total.replace(/[,' ]/g, "") : total) > length;

/** Whether an object reports a failure, whatever the status of its reply. */
export const reportsFailure = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).some(([name, member]) => isFailure(wordOf(name), member));

type Body = Readonly<Record<string, unknown>>;
type Is = (word: string, value: unknown) => boolean;

/** Whether a member is so, or one in it at any depth. */
function isIn(name: string, value: unknown, is: Is): boolean {
  const inner = (Array.isArray(value) ? value : [value]).filter(isObject);
  return (
    is(wordOf(name), value) || inner.some((one) => Object.entries(one).some(([member, deep]) => isIn(member, deep, is)))
  );
}

const speaks = (name: string, value: unknown, length: number): boolean =>
  isIn(
    name,
    value,
    (word, one) =>
      isFailure(word, one) ||
      (more.test(word) && !isBlank(one)) ||
      (whole.test(word) && isNo(one)) ||
      (word === "rel" && one === "next") ||
      (total.test(word) && isAbove(one, word.includes("page") ? 1 : length)),
  );

/** A count may be that of the page. */
const tellsEnd: Is = (word) =>
  more.test(word) || whole.test(word) || (total.test(word) && !/^(?!.*total).*count$/.test(word));

/** The member that says that a page is full, if nothing says whether another one follows. */
function fullPage({ headers }: Pick<Reply, "headers">, beside: Body, length: number): string | undefined {
  const isFull: Is = (word, value) => pageSize.test(word) && Number(value) > 0 && Number(value) <= length;
  const full = Object.keys(beside).find((name) => isIn(name, beside[name], isFull));
  const known = [...Object.entries(beside), ...Object.entries(headers)];
  return known.some(([name, value]) => isIn(name, value, tellsEnd)) ? undefined : full;
}

/** Whether a header says that a cache has kept the reply, or for how many seconds. */
const isOfCache = (name: string, value = ""): boolean =>
  name === "age"
    ? Number(value) > 0
    : (/^(x-)?(\w+-)*cache(-status)?$/.test(name) && /(^|[^a-z])(hit|stale|updating)\b/i.test(value)) ||
      (name === "warning" && /\b11[012]\b/.test(value));

/**
 * The header that says that a cache may have kept a reply; undefined if none does. Its `Date` may be of any time: of when it
 * was kept, or of the gateway in front.
 */
export const signOfCache = (headers: Reply["headers"]): string | undefined =>
  Object.keys(headers).find((name) => isOfCache(name, headers[name]));

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
 * entries, a total above its length, a full page, an error beside it, a cache that has kept it. Undefined if there is none.
 * `member`: the one with the list.
 */
export const signBeside = (
  reply: Pick<Reply, "headers">,
  { ...beside }: Body,
  { member, length }: { readonly member: string; readonly length: number },
): string | undefined => {
  Reflect.deleteProperty(beside, member);
  const { headers } = reply;
  return (
    Object.keys(beside).find((name) => speaks(name, beside[name], length)) ??
    Object.keys(headers).find((name) => headerSpeaks(name, headers[name] ?? "", length)) ??
    fullPage(reply, beside, length)
  );
};
