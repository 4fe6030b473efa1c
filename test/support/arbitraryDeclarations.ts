import fc from "fast-check";
import {
  byForm,
  cachingParams,
  scheduleMembers,
  type ByForm,
  type Declaration,
  type Member,
} from "../../provider/src/jobs/index.js";
import { hasRounded } from "../../provider/src/json.js";
import { declaration } from "./declaration.js";

const jsonValue = fc.jsonValue({ maxDepth: 2 }).filter((value) => !hasRounded(value));
const text = fc.constantFrom("A", "B");
const offset = fc.constantFrom("Z", "+00:00", "+02:00", "-05:30");
const dateTimes = fc
  .tuple(fc.constantFrom("2026-12-01T03:00:00", "2026-12-01T05:00:00"), fc.constantFrom("", ".1", ".1000000"), offset)
  .map((parts) => parts.join(""));

/** Few values of each form, within its limits. */
const byEachForm: ByForm<fc.Arbitrary<unknown>> = {
  uuid: () => fc.constant(declaration.params.sourceConnection),
  text: ({ isFilled, maxLength = 100, pattern }) => {
    const limits = { minLength: isFilled ? 1 : 0, maxLength };
    const few = pattern === undefined ? fc.constantFrom("A", "B") : fc.stringMatching(pattern.of, { maxLength });
    return pattern === undefined && isFilled ? fc.oneof(few, fc.string(limits)) : few;
  },
  flag: () => fc.constantFrom<unknown>(true, false, "true", "false"),
  mergeKeys: () => fc.array(fc.record({ colName: text, isPrimaryKey: fc.boolean() }, { requiredKeys: [] })),
  choice: ({ words }) => fc.constantFrom(...words.slice(0, 2)),
  wholeNumber: ({ min }) => fc.integer({ min, max: min + 1 }),
  boolean: () => fc.boolean(),
  dateTime: () => dateTimes,
};

/** Values of a member. An optional member may also be null, or empty if that is allowed. */
function valuesOf(member: Member): fc.Arbitrary<unknown> {
  const values = byForm<fc.Arbitrary<unknown>>(byEachForm, member);
  if (member.required) return values;
  return fc.oneof(values, fc.constantFrom(null, member.default ?? null));
}

const recordOf = (members: Readonly<Record<string, Member>>) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, valuesOf(member)] as const));
const requiredIn = (members: Readonly<Record<string, Member>>) =>
  Object.keys(members).filter((name) => members[name]?.required);

/** The members that both kinds of jobs have. */
const ofEachKind = recordOf(scheduleMembers);
const requiredKeys = [...requiredIn(scheduleMembers), "params"];

/** Declarations whose members outside `params` are those that both kinds of jobs have. */
function declarations(members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Declaration> {
  return fc.record({ ...ofEachKind, ...members }, { requiredKeys });
}

/** Declarations of a caching job, from few values, so that equal declarations are common. */
export const cachingJobs = declarations({
  params: fc.record(recordOf(cachingParams), { requiredKeys: requiredIn(cachingParams) }),
  additionalParams: fc.oneof(fc.dictionary(text, jsonValue), fc.constant(null)),
});

export const scheduledQueryJobs = declarations({
  params: fc.dictionary(fc.constantFrom("name", "query", "other"), jsonValue),
});
