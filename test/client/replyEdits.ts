import fc from "fast-check";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { isObject, type Json, type JsonObject } from "../../provider/src/json.js";

export type Purpose = "create" | "change" | "read" | "delete" | "list" | "jobs" | "rows";

export interface Content {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
}

/** One edit of a good reply. `breaks`: for which purposes the edited reply must not count as proof. */
export interface Edit {
  readonly what: string;
  readonly breaks: readonly Purpose[];
  readonly apply: (content: Content) => Content;
}

/** All purposes. */
export const everything: readonly Purpose[] = ["create", "change", "read", "delete", "list", "jobs", "rows"];
const withBody = everything.filter((purpose) => purpose !== "delete");
const lists: readonly Purpose[] = ["list", "jobs", "rows"];
const ofOneJob: readonly Purpose[] = ["create", "change", "read"];

const inBody =
  (change: (body: JsonObject) => Json) =>
  (content: Content): Content =>
    isJsonObject(content.body) ? { ...content, body: change(content.body) } : content;

const inJob = (change: (job: JsonObject) => Json) =>
  inBody((body) => ({
    ...body,
    ...(Array.isArray(body["jobs"]) && {
      jobs: body["jobs"].map((one: Json) => (isJsonObject(one) ? change(one) : one)),
    }),
  }));

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

const isJsonObject = (value: unknown): value is JsonObject => isObject(value);

const without = (members: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([one]) => one !== name));

const inParams = (change: (params: JsonObject) => Json) =>
  inJob(({ params, ...more }) => ({ ...more, params: isJsonObject(params) ? change(params) : (params ?? null) }));

const edit = (what: string, breaks: readonly Purpose[], apply: Edit["apply"]): Edit => ({ what, breaks, apply });
/** The same for edits of the body, of each job, and of its params. */
const ofBody = (what: string, breaks: readonly Purpose[], ...[change]: Parameters<typeof inBody>) =>
  edit(what, breaks, inBody(change));
const ofJob = (what: string, breaks: readonly Purpose[], ...[change]: Parameters<typeof inJob>) =>
  edit(what, breaks, inJob(change));
const ofParams = (what: string, breaks: readonly Purpose[], ...[change]: Parameters<typeof inParams>) =>
  edit(what, breaks, inParams(change));

/** Writes a name as other frameworks would. */
const spelled = fc.constantFrom<(name: string) => string>(
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  (name) => name.replace(/^./, (letter) => letter.toUpperCase()),
  (name) => `@odata.${name}`,
);

const beside = (name: string, value: Json) => inBody((body) => ({ ...body, [name]: value }));
const deepBeside = (name: string, value: Json) => beside("meta", { version: 2, inner: [{ [name]: value }] });

const spoken = fc
  .tuple(
    spelled,
    fc.constantFrom<readonly [string, Json]>(
      ["error", "no"],
      ["errors", [{ message: "no" }]],
      ["errors", { jobs: ["not now"] }],
      ["success", false],
      ["succeeded", "false"],
      ["isSuccess", null],
      ["status", "failed"],
      ["statusCode", 503],
      ["code", "PARTIAL"],
      ["failures", 1],
      ["exception", "NullReference"],
      ["hasMore", true],
      ["nextPage", 2],
      ["nextLink", "https://x/2"],
      ["continuationToken", "abc"],
      ["cursor", "abc"],
      ["truncated", true],
      ["partial", "true"],
      ["complete", false],
      ["totalCount", 99],
      ["total", "99"],
      ["totalPages", 3],
      ["remaining", 3],
    ),
    fc.constantFrom(beside, deepBeside),
  )
  .map(([spell, [name, value], put]) =>
    edit(`${spell(name)}: ${JSON.stringify(value)}`, lists, put(spell(name), value)),
  );

const header = fc
  .constantFrom<readonly [string, string]>(
    ["link", '<https://x/api?page=2>; rel="next"'],
    ["link", "<https://x/api>; rel=self, <https://x/api?page=2>; rel=next"],
    ["x-total-count", "99"],
    ["x-total", "99"],
    ["content-range", "items 0-1/99"],
    ["x-next-page", "2"],
    ["x-has-more", "true"],
    ["x-pagination", '{"TotalCount":99,"HasNext":true}'],
    ["x-total-pages", "2"],
    ["x-ms-continuation-token", "abc"],
    ["x-partial", "true"],
  )
  .map(([name, value]) =>
    edit(`${name}: ${value}`, lists, (all) => ({ ...all, headers: { ...all.headers, [name]: value } })),
  );

const status = fc
  .constantFrom(202, 203, 205, 206, 207, 301, 302, 303, 304, 307)
  .map((code) => edit(`HTTP ${code}`, everything, (content) => ({ ...content, status: code })));

const sourceMember = fc.constantFrom(...cachingJob.source);

const ofAnotherJob = fc.oneof(
  fc.constantFrom(
    ofJob("another id", ["change", "read"], (one) => ({ ...one, id: "another" })),
    ofJob("no id", [...ofOneJob, "jobs"], (one) => without(one, "id")),
    ofJob("another kind", ofOneJob, (one) => ({ ...one, jobType: "ScheduledQuery" })),
    ofJob("the old value", ["change"], (one) => ({ ...one, intervalValue: 4 })),
    ofJob("a third value", ["change"], (one) => ({ ...one, intervalValue: 5 })),
    ofJob("no value", ["change"], (one) => without(one, "intervalValue")),
    ofJob("a null value", ["change"], (one) => ({ ...one, intervalValue: null })),
    ofJob("a renamed value", ["change"], (one) => ({ ...without(one, "intervalValue"), interval: 9 })),
    ofJob("no params", ["create", "read"], (one) => without(one, "params")),
    ofJob("null params", ["create", "read"], (one) => ({ ...one, params: null })),
  ),
  sourceMember.chain((member) =>
    fc.constantFrom(
      ofParams(`another ${member}`, ofOneJob, (params) => ({ ...params, [member]: "another" })),
      ofParams(`no ${member}`, ["create", "read"], (params) => without(params, member)),
      ofParams(`null as ${member}`, ["create", "read"], (params) => ({ ...params, [member]: null })),
      ofParams(`${member} under another name`, ["create", "read"], (params) => ({
        ...without(params, member),
        [member.toUpperCase()]: params[member] ?? null,
      })),
    ),
  ),
);

const ofTheWhole = fc.oneof(
  fc.constantFrom(
    edit("no body", withBody, (content) => ({ ...content, body: undefined })),
    ofBody("an array", withBody, (body) => Object.values(body)),
    ofBody("null", withBody, () => null),
    edit("a job", ["delete"], (content) => ({ ...content, body: { jobs: [{ id: "1" }] } })),
    edit("a sentence", everything, (content) => ({ ...content, body: "done" })),
  ),
  fc
    .constantFrom<Json>({}, "x", 7, true)
    .map((value) =>
      ofBody(`${JSON.stringify(value)} in place of the list`, withBody, (body) =>
        Object.fromEntries(Object.keys(body).map((name) => [name, value])),
      ),
    ),
  spelled
    .map((spell) =>
      inBody((body) => Object.fromEntries(Object.entries(body).map(([name, value]) => [spell(`${name}X`), value]))),
    )
    .map((apply) => edit("the list under another name", withBody, apply)),
  fc
    .constantFrom<Json>(null, 7, "x", {}, [])
    .map((entry) =>
      ofBody(`${JSON.stringify(entry)} as an entry`, lists, (body) =>
        Object.fromEntries(Object.entries(body).map(([name, list]) => [name, withEntry(name, list, entry)])),
      ),
    ),
);

function withEntry(name: string, list: Json, entry: Json): Json {
  const entries = entriesOf(list);
  if (entries === undefined) return list;
  if (name !== "results") return [...entries, entry];
  return entries.map((result) =>
    isJsonObject(result) ? { ...result, rows: [...(entriesOf(result["rows"]) ?? []), entry] } : result,
  );
}

const entriesOf = (value: Json | undefined): readonly Json[] | undefined =>
  Array.isArray(value) ? value.map((one: Json) => one) : undefined;

/** Beside an empty list, more words break the proof that something is gone. */
const emptied = fc
  .tuple(
    fc.constantFrom<Json>([], null),
    fc.constantFrom<readonly [string, Json]>(["count", 2], ["hasMore", true], ["errors", ["x"]], ["success", false]),
  )
  .map(([list, [name, value]]) =>
    ofBody(`${name}: ${JSON.stringify(value)} beside ${JSON.stringify(list)}`, ["read", "list", "jobs"], (body) => ({
      ...Object.fromEntries(Object.keys(body).map((one) => [one, list])),
      [name]: value,
    })),
  );

/** The edits that change nothing of what a reply proves. */
export const harmless: readonly Edit[] = [
  edit("nothing", [], (content) => content),
  edit("a member without a meaning here", [], beside("requestId", "r1")),
  edit("an empty error", [], beside("error", "")),
  edit("no errors", [], beside("errors", [])),
  edit("a success", [], beside("success", true)),
  edit("a text for people", [], beside("message", "It will run for the first time at 10:00")),
  edit("a count of retries", [], beside("retryCount", 0)),
  edit("a status", [], beside("status", "OK")),
  edit("nothing more", [], beside("hasMore", false)),
  edit("no next page", [], beside("paging", { next: null, page: 1 })),
  edit("a link to itself", [], beside("links", [{ rel: "self", href: "https://x" }])),
  edit("another header", [], (content) => ({
    ...content,
    headers: {
      ...content.headers,
      "x-request-id": "r1",
      "x-retry-count": "0",
      "x-envoy-attempt-count": "1",
      warning: "299",
      "x-ratelimit-limit": "100",
      "x-ratelimit-remaining": "3",
    },
  })),
  edit("a link that is no page", [], (content) => ({
    ...content,
    headers: { link: "<https://x/style.css>; rel=preload" },
  })),
  ofJob("an id in capitals", [], (one) => ({ ...one, id: textIn(one["id"]).toUpperCase() })),
  ofJob("a kind in small letters", [], (one) => ({ ...one, jobType: "caching" })),
  ofJob("no kind", [], (one) => without(one, "jobType")),
  ofParams("a table in another case", [], (params) => ({
    ...params,
    sourceTable: textIn(params["sourceTable"]).toLowerCase(),
  })),
  ofJob("quoted values", [], (one) => ({ ...one, intervalValue: "9", enabled: "True" })),
  ofJob("a unit in capitals", [], (one) => ({ ...one, intervalUnit: "HOUR" })),
  ofJob("a member more", [], (one) => ({
    ...one,
    owner: "x",
    nextRunTime: "2026-01-01T00:00:00Z",
    lastRun: { status: "FAILED" },
  })),
];

export const breaking: fc.Arbitrary<Edit> = fc.oneof(spoken, header, status, ofAnotherJob, ofTheWhole, emptied);
