import fc from "fast-check";
import { modes } from "../../../provider/src/config/index.js";
import {
  bodyOf,
  cachingJob,
  cachingParams,
  checkDeclaration,
  normalize,
  normalizedText,
  scheduledQueryJob,
  type Declaration,
  type DeclaredJob,
  type JobKind,
} from "../../../provider/src/jobs/index.js";
import { declaredMembers } from "../../../provider/src/lifecycle/resource.js";
import { canonicalJson, isObject, membersOf } from "../../../provider/src/json.js";
import { transition } from "../../../provider/src/lifecycle/transitions.js";
import { cachingJobs } from "../../support/arbitraryDeclarations.js";
import { declaration } from "../../support/declaration.js";
import { resource, savedResource } from "../../support/resource.js";

const { params: required, ...schedule } = declaration;
const baseUrl = "https://jobs.example.com";

const caching = (declared: Declaration): DeclaredJob => ({ kind: cachingJob, declared });

function answer(kind: JobKind, was: Declaration, now: Declaration): string {
  const place = { baseUrl, account: undefined };
  const today = { place, mayResend: false, mode: modes.create };
  return transition(savedResource(kind, was, { id: "1" }), resource(kind, now), today).kind;
}

const job = (more: Declaration = {}, params: Declaration = {}): Declaration => ({
  ...schedule,
  params: { ...required, ...params },
  ...more,
});
const [a, b] = [{ colName: "A" }, { colName: "B" }];
const start = (definedNextRun: string) => job({ definedNextRun });

/** The random declarations below cover the forms that are not here. */
const same: readonly (readonly [string, Declaration, Declaration])[] = [
  ["an empty changedAtService", job(), job({ changedAtService: "" })],
  ["null for what is never sent", job(), job({ existingJobId: null, changedAtService: null, account: null })],
  ["an offset over midnight", start("2026-12-31T23:00:00Z"), start("2027-01-01T01:00:00+02:00")],
  ["a start without seconds", start("2026-12-01T03:00Z"), start("2026-12-01T03:00:00.0Z")],
  ["a start without seconds or a zone", start("2026-12-01T03:00"), start("2026-12-01T03:00:00")],
  ["the service's seven digits", start("2026-12-01T03:00:00.1234567Z"), start("2026-12-01T05:00:00.1234567+02:00")],
  [
    "another order in additionalParams",
    job({ additionalParams: { a: { b: 1, c: [{ d: 1, e: 2 }] }, f: 1 } }),
    job({ additionalParams: { f: 1, a: { c: [{ e: 2, d: 1 }], b: 1 } } }),
  ],
  [
    "keys to merge by that move from additionalParams",
    job({ additionalParams: { mergeKeys: [{ colName: "ID", colType: null }] } }),
    job({}, { mergeKeys: [{ colName: "ID" }] }),
  ],
];

const other: readonly (readonly [string, Declaration, Declaration])[] = [
  ["another seventh digit", start("2026-12-01T03:00:00.1234567Z"), start("2026-12-01T03:00:00.1234568Z")],
  [
    "a start without a zone, which is compared as a string",
    start("2026-12-01T03:00:00Z"),
    start("2026-12-01T03:00:00"),
  ],
  ["more digits without a zone", start("2026-12-01T03:00:00"), start("2026-12-01T03:00:00.0")],
  ["another order of keys to merge by", job({}, { mergeKeys: [a, b] }), job({}, { mergeKeys: [b, a] })],
  ["no keys to merge by", job({}, { mergeKeys: [a] }), job({}, { mergeKeys: [] })],
  ["null in additionalParams", job({ additionalParams: {} }), job({ additionalParams: { mode: null } })],
  ["1 for true in additionalParams", job({ additionalParams: { a: 1 } }), job({ additionalParams: { a: true } })],
  ["an array in another order", job({ additionalParams: { a: [1, 2] } }), job({ additionalParams: { a: [2, 1] } })],
];

describe("No false difference:", () => {
  test.each(same)("%s", (_what, one, two) => {
    expect([
      ...checkDeclaration(cachingJob, declaredMembers(one)),
      ...checkDeclaration(cachingJob, declaredMembers(two)),
    ]).toEqual([]);
    expect([answer(cachingJob, one, two), answer(cachingJob, two, one)]).toEqual(["unchanged", "unchanged"]);
  });

  test("the order of the members of a scheduled query", () => {
    const query = (params: Declaration) => ({ ...schedule, params });
    const [one, two] = [query({ name: "a", more: { b: 1, c: 2 } }), query({ more: { c: 2, b: 1 }, name: "a" })];
    expect(answer(scheduledQueryJob, one, two)).toBe("unchanged");
    expect(answer(scheduledQueryJob, one, query({ name: "a", more: { b: 1, c: "2" } }))).toBe("refuse");
  });
});

test.each(other)("No difference is overlooked: %s", (_what, one, two) => {
  expect(answer(cachingJob, one, two)).not.toBe("unchanged");
});

/** The same declaration written differently: the service cannot tell the difference. */
function rewritten(declared: Declaration): Declaration {
  const { params, enabled, definedNextRun, additionalParams, ...rest } = declared;
  const given = membersOf(params);
  const truncate = given["autoTruncateStrings"];
  const more = isObject(additionalParams) ? reversed(additionalParams) : {};
  return {
    additionalParams: more,
    params: {
      ...reversed(given),
      timeCheckColumn: given["timeCheckColumn"] ?? "",
      autoTruncateStrings: typeof truncate === "string" ? truncate === "true" : truncate === true ? "true" : "false",
    },
    enabled: enabled ?? true,
    definedNextRun: typeof definedNextRun === "string" ? new Date(definedNextRun).toISOString() : undefined,
    ...reversed(rest),
  };
}

function reversed(value: Declaration): Declaration {
  return Object.fromEntries(Object.entries(value).reverse());
}

/**
 * Turns a normalized declaration back into a declaration: members of `params` without a type go into
 * `additionalParams`.
 */
function declaredAgain(declared: Declaration): Declaration {
  const { params, ...rest } = normalize(caching(declared));
  const known = new Set(Object.keys(cachingParams));
  const members = Object.entries(membersOf(params));
  return {
    ...rest,
    params: Object.fromEntries(members.filter(([member]) => known.has(member))),
    additionalParams: Object.fromEntries(members.filter(([member]) => !known.has(member))),
  };
}

const sentFor = (declared: Declaration) => {
  const { definedNextRun: start = null, ...rest } = bodyOf(caching(declared), "typed");
  return { body: canonicalJson(rest), start };
};

test.each([
  ["2026-12-24T03:00Z", "2026-12-24T03:00:00Z"],
  ["2026-12-24T03:00+02:00", "2026-12-24T03:00:00+02:00"],
  ["2026-12-24T03:00", "2026-12-24T03:00:00"],
  ["2026-12-24T03:00:05.10+02:00", "2026-12-24T03:00:05.10+02:00"],
])("The first start %s is sent as %s", (declared, sent) => {
  expect(bodyOf(caching(start(declared)), "typed")["definedNextRun"]).toBe(sent);
});

describe("The normalized declaration", () => {
  test("has a member that the interface document lacks only if it is declared", () => {
    const documented = [...Object.keys(required), "timeCheckColumn", "autoTruncateStrings"];
    const sent = (params: Declaration) => Object.keys(membersOf(bodyOf(caching(job({}, params)), "typed")["params"]));
    expect(sent({})).toEqual(documented);
    expect(sent({ mergeKeys: [] })).toEqual([...documented, "mergeKeys"]);
  });

  test("of a normalized declaration is itself", () => {
    fc.assert(
      fc.property(cachingJobs, (declared) => {
        expect(checkDeclaration(cachingJob, declaredAgain(declared))).toEqual([]);
        expect(normalize(caching(declaredAgain(declared)))).toEqual(normalize(caching(declared)));
      }),
    );
  });

  test("is the same for the same declaration written differently", () => {
    fc.assert(
      fc.property(cachingJobs, (declared) => {
        expect(normalizedText(caching(rewritten(declared)))).toBe(normalizedText(caching(declared)));
        expect(answer(cachingJob, declared, rewritten(declared))).toBe("unchanged");
        expect(sentFor(rewritten(declared)).body).toBe(sentFor(declared).body);
      }),
    );
  });

  test("is equal for two declarations exactly when their requests are equal", () => {
    // There are few values, so that equal requests are common.
    const pairs = fc.tuple(cachingJobs, cachingJobs, fc.boolean()).map(([one, two, alike]) => {
      return [one, alike ? { ...rewritten(one), enabled: two["enabled"] ?? null, definedNextRun: null } : two] as const;
    });
    fc.assert(
      fc.property(pairs, ([one, two]) => {
        const [first, second] = [sentFor(one), sentFor(two)];
        const normalized = (declared: Declaration) =>
          normalizedText(caching(declaredMembers({ ...declared, definedNextRun: null })));
        expect(normalized(one) === normalized(two)).toBe(first.body === second.body);
        if (first.start === second.start && first.body === second.body) {
          expect(normalizedText(caching(one))).toBe(normalizedText(caching(two)));
        }
      }),
    );
  });
});
