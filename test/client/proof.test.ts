import fc from "fast-check";
import type { Reply } from "../../provider/src/client/http.js";
import { readJobRecord } from "../../provider/src/client/jobRecord.js";
import {
  otherJob,
  provesChange,
  provesCreate,
  provesDelete,
  provesList,
  provesRun,
  provesRead,
  provesRows,
} from "../../provider/src/client/proof.js";
import { cachingJob, scheduledQueryJob, type DeclaredJob } from "../../provider/src/jobs/index.js";
import { isObject, type Json, type JsonObject } from "../../provider/src/json.js";
import { cachingBody } from "../support/all/declarations.js";
import { casesOr, testRandomly } from "../support/lanes.js";
import { breaking, everything, harmless, type Content, type Purpose } from "./replyEdits.js";
import { replyWith, TOKEN } from "../support/testService.js";

const id = "2207a325-767c-4038-ac21-feca5b793613";
const declared: DeclaredJob = { kind: cachingJob, declared: cachingBody("ORDERS", { intervalValue: 9 }) };
const before: DeclaredJob = { kind: cachingJob, declared: cachingBody("ORDERS") };
const job = (more: JsonObject = {}): JsonObject => ({
  ...cachingBody("ORDERS", { intervalValue: 9, enabled: true }),
  id,
  name: "ORDERS",
  created: "2026-01-01T00:00:00Z",
  ...more,
});

const columns = ["TABLE_SCHEMA", "TABLE_NAME"];
const rows = { schema: columns.map((columnName) => ({ columnName })), rows: [["PUBLIC", "ORDERS"]] };

/** A good reply of each purpose, as the vendor's documents show it. */
const good: Readonly<Record<Purpose, Json | undefined>> = {
  create: { jobs: [job()] },
  change: { jobs: [job()] },
  read: { jobs: [job()] },
  delete: undefined,
  list: { connections: [{ id: "c", name: "Snowflake1", dataSource: "Snowflake" }] },
  jobs: { jobs: [job(), job({ id: "other", params: { sourceTable: "ITEMS" } })] },
  rows: { results: [rows] },
};

function isProved(purpose: Purpose, { status, headers, body }: Content): boolean {
  const reply: Reply = replyWith({ status, headers, body: body === undefined ? "" : JSON.stringify(body) });
  const given = { reply, token: TOKEN };
  switch (purpose) {
    case "create":
      return provesCreate(given, declared, false).kind === "proved";
    case "change":
      return provesChange(given, id, before, declared).kind === "proved";
    case "read": {
      const read = provesRead(given, id);
      const expected = { job: declared, needsSource: true };
      return read.kind === "proved" && (read.value === "missing" || otherJob(expected, read.value) === undefined);
    }
    case "delete":
      return provesDelete(given).kind === "proved";
    case "list":
      return provesList(given, "connections", (entry) => (isObject(entry) ? entry["id"] : undefined)).kind === "proved";
    case "jobs":
      return provesList(given, "jobs", readJobRecord).kind === "proved";
    case "rows":
      return provesRows(given, columns, ([, table]) => table).kind === "proved";
  }
}

const start = (purpose: Purpose): Content => ({ status: 200, headers: {}, body: good[purpose] });

test.each(everything)("A good reply proves a %s", (purpose) => {
  expect(isProved(purpose, start(purpose))).toBe(true);
});

test.each(everything.flatMap((purpose) => harmless.map((one) => ({ purpose, ...one }))))(
  "A reply to a $purpose proves it with $what too",
  ({ purpose, apply }) => {
    expect(isProved(purpose, apply(start(purpose)))).toBe(true);
  },
);

test("A create's reply that reports a failure beside what was sent proves no job", () => {
  const beside = (more: JsonObject) => {
    const reply = replyWith({ status: 200, body: JSON.stringify({ ...job(), ...more }) });
    return provesCreate({ reply, token: TOKEN }, declared, true).kind;
  };
  expect([beside({}), beside({ status: "created" }), beside({ success: false })]).toEqual([
    ...["proved", "proved"],
    "unknown",
  ]);
});

test("A run's reply that reports a failure in its status proves no run", () => {
  const body = JSON.stringify({ status: { code: 500, message: "Internal error" } });
  expect(provesRun({ reply: replyWith({ status: 200, body }), token: TOKEN }).kind).toBe("unknown");
});

test("A create of a query without a name is proved by what it was sent with, whatever form that has", () => {
  const query = {
    kind: scheduledQueryJob,
    declared: { params: { query: "select 1", columns: ["a", "b"], sign: "\ufffd" } },
  };
  const jobs = [{ id: "1", jobType: "ScheduledQuery", params: query.declared.params }];
  const reply = replyWith({ status: 200, body: JSON.stringify({ jobs }) });
  expect(provesCreate({ reply, token: TOKEN }, query, false).kind).toBe("proved");
});

describe("Beside a list", () => {
  const isProved = (body: Json, member = "jobs") =>
    provesList({ reply: replyWith({ status: 200, body: JSON.stringify(body) }), token: TOKEN }, member, readJobRecord)
      .kind === "proved";

  test.each<JsonObject>([
    { requestId: "r-1" },
    { version: "2.1", region: "eu", tookMs: 12 },
    { ready: true },
    { degraded: false, timed_out: false },
    { meta: { requestId: "r-1", node: { name: "a" } } },
    { message: "ok?" },
    { detail: "No jobs yet." },
    { warnings: ["This version is old."] },
    { retryCount: 0, status: "created", page: 1 },
    { meta: { items: ["a"] } },
    { errorCode: "SUCCESS", errorMessage: "", errorCount: 0, status: "completed without errors" },
    { error: "no error", result: "0 failed", status: { code: 200, message: "OK" } },
    { status: { code: 0, details: { errorCount: 0 } }, result: { code: 0, info: { errors: [] } } },
    { status: "0 jobs failed", result: "completed with no warnings or errors", code: "No partial results" },
    { totalSize: "12 KB", total: { value: 0, relation: "eq" } },
    { pages: { type: "pages", next: null, page: 1, per_page: 50, total_pages: 1 } },
    { hasMore: false, isLastPage: true, lastPage: 1, pages: 1, recordsTotal: 0, nextPageNumber: null },
  ])("%j is no sign of a failure", (beside) => {
    expect([null, []].map((jobs) => isProved({ jobs, ...beside }))).toEqual([true, true]);
  });

  test.each<JsonObject>([
    { error: "no" },
    { status: "error" },
    { nextPage: 2 },
    { totalCount: 1 },
    { degraded: true },
    { timed_out: true },
    { errorMessage: "The database did not answer." },
    { error_code: "E12" },
    { ErrorDetails: { reason: "timeout" } },
    { exceptionMessage: "no" },
    { status: "INTERNAL_ERROR" },
    { code: "TIMED_OUT" },
    { status: "unsuccessful" },
    { nextOffset: 100 },
    { nextPageNumber: 2 },
    { hasMoreRecords: true },
    { moreAvailable: true },
    { isLastPage: false },
    { last: false },
    { recordsTotal: 60 },
    { recordCount: 60 },
    { page: 1, pages: 3 },
    { success: "False" },
    { isSuccess: "NO" },
    { complete: "False" },
    { status: "error: no healthy upstream" },
    { status: "Failed: no connection to the database" },
    { status: { code: 500, message: "Something went wrong." } },
    { total: "1,200" },
    { total: { value: 1200, relation: "eq" } },
  ])("%j speaks", (beside) => {
    expect([null, []].map((jobs) => isProved({ jobs, ...beside }))).toEqual([false, false]);
  });

  test.each<[JsonObject, boolean]>([
    [{ limit: 1, offset: 0 }, false],
    [{ paging: { pageSize: "1", page: 1 } }, false],
    [{ per_page: 1 }, false],
    [{ limit: 2, offset: 0 }, true],
    [{ limit: 0 }, true],
    [{ limit: 1, total: 1 }, true],
    [{ pageSize: 1, count: 1 }, false],
    [{ limit: 1, resultCount: 1 }, false],
    [{ limit: 1, totalCount: 1 }, true],
    [{ limit: 1, hasMore: false }, true],
    [{ limit: 1, paging: { nextCursor: null } }, true],
  ])("A list of one job beside %j proves the whole list: %s", (beside, isWhole) => {
    expect(isProved({ jobs: [{ id: "1", jobType: "Caching" }], ...beside })).toBe(isWhole);
  });

  test.each<[Record<string, string>, boolean]>([
    [{ "x-envoy-attempt-count": "1", "x-retry-count": "0", "retry-after": "5" }, true],
    [{ warning: '299 - "Deprecated API"', "x-ratelimit-remaining": "3" }, true],
    [{ age: "0", "content-range": "jobs 0-1/2" }, true],
    [{ age: "60" }, false],
    [
      {
        "x-total-time": "120",
        "x-cache": "MISS",
        "cf-cache-status": "DYNAMIC",
        "cache-control": "max-age=0, stale-while-revalidate=60",
      },
      true,
    ],
    [{ "x-cache": "RefreshHit from cloudfront", "x-cache-status": "BYPASS" }, true],
    [{ "x-cache": "Hit from cloudfront" }, false],
    [{ "x-cache": "TCP_HIT" }, false],
    [{ "x-cache-status": "HIT" }, false],
    [{ "x-proxy-cache": "STALE" }, false],
    [{ "cf-cache-status": "UPDATING" }, false],
    [{ "cache-status": '"Edge"; hit; ttl=30' }, false],
    [{ warning: '110 - "Response is Stale"' }, false],
    [{ "pagination-count": "3" }, false],
    [{ "x-pagination-total-count": "3" }, false],
    [{ "x-wp-total": "3" }, false],
    [{ "content-range": "jobs 0-1/*", "x-total-count": "2" }, true],
    [{ "content-range": "jobs 0-1/5" }, false],
    [{ "content-range": "jobs 2-3/4" }, false],
    [{ "x-total-count": "3" }, false],
    [{ link: '<https://x/?page=2>; rel="next"' }, false],
  ])("the headers %j leave a list whole: %s", (headers, isWhole) => {
    const body = JSON.stringify({ jobs: [job(), job({ id: "other" })] });
    const reply = replyWith({ status: 200, headers, body });
    expect(provesList({ reply, token: TOKEN }, "jobs", readJobRecord).kind).toBe(isWhole ? "proved" : "unknown");
  });

  test("null is one only where the service documents it", () => {
    const lists = ["jobs", "accounts", "dataSources", "connections"];
    expect(lists.filter((member) => isProved({ [member]: null }, member))).toEqual(["jobs", "accounts"]);
    expect(lists.filter((member) => isProved({ [member]: [] }, member))).toEqual(lists);
  });
});

testRandomly(
  "A good reply that is edited at random proves nothing, unless the edit is harmless",
  { cases: casesOr(3000), lanes: 1 },
  fc.record({
    purpose: fc.constantFrom(...everything),
    first: fc.array(fc.constantFrom(...harmless), { maxLength: 2 }),
    breaking,
  }),
  ({ purpose, first, breaking: broken }) => {
    if (!broken.breaks.includes(purpose)) return Promise.resolve([]);
    const edits = [...first, broken];
    const edited = edits.reduce((content, { apply }) => apply(content), start(purpose));
    const what = { purpose, edits: edits.map((one) => one.what), edited };
    expect({ ...what, isProved: isProved(purpose, edited) }).toEqual({ ...what, isProved: false });
    return Promise.resolve([`${purpose} ${broken.what}`]);
  },
  (occurred) => {
    expect(occurred.length).toBeGreaterThan(300);
  },
);
