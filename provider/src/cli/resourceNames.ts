import type { KnownRecord } from "../client/jobRecord.js";
import type { JobKind } from "../jobs/index.js";
import type { StackExport } from "./stackExport.js";

/** How a program names a job: `const orderItemsJob = new CachingJob("order-items", …)`. */
export interface ResourceName {
  readonly identifier: string;
  readonly resource: string;
}

const longest = 60;

/** Makes names from tables and queries: no two are the same, and none is that of a resource of the stack. */
export class ResourceNames {
  private readonly taken: Set<string>;

  constructor(stack: StackExport | undefined) {
    this.taken = new Set([...(stack?.jobs ?? []), ...(stack?.pending ?? [])].map(({ resource }) => resource));
  }

  forJob(kind: JobKind, { params = {}, name }: KnownRecord): ResourceName {
    const own = params[kind.source.at(-1) ?? ""];
    const words = wordsOf(typeof own === "string" ? own : (name ?? ""));
    const base = words.length > 0 ? words : wordsOf(kind.resource.replace(/Job$/, ""));
    for (let count = 1; ; count += 1) {
      const made = nameOf(kind, count === 1 ? base : [...base, String(count)]);
      if (this.taken.has(made.resource) || this.taken.has(made.identifier)) continue;
      this.taken.add(made.resource).add(made.identifier);
      return made;
    }
  }
}

/** The words of a name, in lower case; only what may stand in an identifier is kept. */
const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKC")
    .slice(0, longest)
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .split(/[^\p{ID_Continue}]+|\p{Pc}+/u)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());

/** The ending keeps an identifier apart from the words of the language and from what else a module has. */
function nameOf(kind: JobKind, words: readonly string[]): ResourceName {
  const begins = /^\p{ID_Start}/u.test(words[0] ?? "")
    ? words
    : [kind.jobType === "Caching" ? "table" : "query", ...words];
  const [first = "", ...rest] = begins;
  const camel = rest.map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return { identifier: `${[first, ...camel].join("")}Job`, resource: words.join("-") };
}
