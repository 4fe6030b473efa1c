import { isObject, parseJson } from "../json.js";
import type { Reply } from "./http.js";

// Words that common web frameworks use for failures and for incomplete answers. The interface document shows neither.

/** How many entries a reply has, and in which of its members they are. */
interface Entries {
  readonly length: number;
  readonly members: readonly string[];
}

/**
 * The name of a member or header that reports a failure or more entries; undefined if there is none. Next to an empty
 * list, every text for people and every other list counts too, because an empty list proves that something is gone.
 */
export function signIn(
  { headers }: Pick<Reply, "headers">,
  body: Readonly<Record<string, unknown>>,
  { length, members }: Entries,
): string | undefined {
  const beside = Object.entries(body).filter(([name]) => !members.includes(name));
  const sign =
    beside.find(([name, value]) => speaks(name, value, length)) ??
    Object.entries(headers).find(([name, value]) => headerSpeaks(name, value, length));
  return sign?.[0];
}

/** Whether an object reports a failure, whatever its status says. */
export const reportsFailure = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).some(([name, member]) => failureSpeaks(wordOf(name), member) === true);

/** A name without case, signs and prefix: frameworks write `hasMore`, `has_more`, `@odata.hasMore` and `X-Has-More`. */
const wordOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^(.*[.:]|x-)/, "")
    .replace(/[^a-z\d]/g, "");

function speaks(name: string, value: unknown, length: number): boolean {
  const word = wordOf(name);
  const meaning =
    failureSpeaks(word, value) ??
    moreSpeaks(word, value) ??
    countSpeaks(word, value, length) ??
    statusSpeaks(word, value) ??
    textSpeaks(word, value);
  if (meaning !== undefined) return meaning;
  if (isBlank(value)) return false;
  const inner = (Array.isArray(value) ? value : [value]).filter(isObject);
  if (inner.some((one) => Object.entries(one).some(([member, deep]) => speaks(member, deep, length)))) return true;
  return length === 0 && (Array.isArray(value) || textForPeople.test(word));
}

function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(isBlank);
  if (typeof value === "string") return /^\s*(|0|none|null|false)\s*$/i.test(value);
  return value === undefined || value === null || value === false || value === 0;
}

const isYes = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === "string" && /^\s*(1|true|yes|ok)\s*$/i.test(value));

const success = /^(is|was|has)?(success|successful|succeeded|ok|okay|valid|healthy)$/;
const failure =
  /error|^errs?$|fail|(?<!de)fault|exception|problem|warn|denied|reject|refus|invalid|unavailable|stale|abort|degrad|unhealthy|outage|offline|maintenance|timedout|interrupt/;

/** Like the functions below, returns undefined if the name is not one of its words. */
function failureSpeaks(word: string, value: unknown): boolean | undefined {
  if (success.test(word)) return !isYes(value);
  return failure.test(word) ? !isBlank(value) : undefined;
}

const whole = /^(is|was|has)?(complete|completed|whole|entire)$/;
const more = /more|next|prev|cursor|contin|truncat|partial|incomplete|remain|omit|skipped|scroll|pagetoken/;

function moreSpeaks(word: string, value: unknown): boolean | undefined {
  if (whole.test(word)) return !isYes(value);
  if (/^(is)?last(page)?$/.test(word)) return value === false || (numberIn(value) ?? 0) > 1;
  if (word === "rel") return typeof value === "string" && /next|prev/i.test(value);
  return more.test(word) ? !isBlank(value) : undefined;
}

function countSpeaks(word: string, value: unknown, length: number): boolean | undefined {
  const number = numberIn(value);
  if (number === undefined || /time|elapsed|duration|seconds|millis|bytes/.test(word)) return undefined;
  if (/pages$|pagecount$|^(current)?page(number|no|index)?$|^number$|^start(index|at)?$/.test(word)) return number > 1;
  if (/offset$|^skip$/.test(word)) return number !== 0;
  // A full page may have a next one.
  if (/size$|limit$|perpage$|^top$|^take$|maxresults$/.test(word)) return length > 0 && number <= length;
  const count =
    /total|(?<!ac|dis)count|^num|length$|(elements|records|items|results|entries|hits|found|jobs|connections|accounts)$/;
  return count.test(word) ? number !== length : undefined;
}

function numberIn(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\s*\d{1,15}\s*$/.test(value) ? Number(value) : value;
  return typeof number === "number" ? number : undefined;
}

function statusSpeaks(word: string, value: unknown): boolean | undefined {
  const isStatus = /^(http|response|result|reply)?(status|statuscode|state|result|outcome|code)$/.test(word);
  if (!isStatus || (typeof value !== "string" && typeof value !== "number")) return undefined;
  return !/^\s*(|0|1|200|ok|okay|success|successful|succeeded|done|completed?)\s*$/i.test(String(value));
}

const textForPeople = /message|^msg$|^detail|^title$|^reason|^description$|^note|^notice|^hint/;

function textSpeaks(word: string, value: unknown): boolean | undefined {
  if (!textForPeople.test(word) || typeof value !== "string") return undefined;
  const bad = /fail|error|partial|only|first|more|incomplete|unable|not|truncat|limit|time|unavailable|denied|page/i;
  return bad.test(value) ? true : undefined;
}

const pagingHeader =
  /^(pag|total|count$|next|prev|more|hasmore|contin|cursor|truncat|partial|offset$|limit$|perpage|error|fail|warning$)|(total|next|page|pages|count|link|pagination|continuation|continuationtoken|cursor)$/;

function headerSpeaks(name: string, value: string, length: number): boolean {
  const word = wordOf(name);
  if (word === "link") return /rel\s*=\s*"?[^",;]*\b(next|prev)/i.test(value);
  if (word === "contentrange") return true;
  // Request limits are not limits of a list.
  if (/rate|quota|request/.test(word) || !pagingHeader.test(word)) return false;
  // ASP.NET writes the paging as JSON into one header.
  const parsed = parseJson(value);
  return speaks(word, isObject(parsed) ? parsed : value, length);
}
