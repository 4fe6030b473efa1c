import fc from "fast-check";
import { cachingParams, type Declaration, type FormName, type Param } from "../../provider/src/jobs/index.js";
import { hasRounded } from "../../provider/src/json.js";
import { declaration } from "./declaration.js";

const jsonValue = fc.jsonValue({ maxDepth: 2 }).filter((value) => !hasRounded(value));
const text = fc.constantFrom("A", "B");
const offset = fc.constantFrom("Z", "+00:00", "+02:00", "-05:30");
const dateTimes = fc
  .tuple(fc.constantFrom("2026-12-01T03:00:00", "2026-12-01T05:00:00"), fc.constantFrom("", ".1", ".1000000"), offset)
  .map((parts) => parts.join(""));

/** The members that both kinds of jobs have. */
const ofEachKind = {
  intervalUnit: fc.constantFrom("Hour", "Day"),
  intervalValue: fc.integer({ min: 1, max: 2 }),
  logVerbosity: fc.constantFrom(1, 2),
  enabled: fc.constantFrom(true, false, null),
  definedNextRun: fc.oneof(dateTimes, fc.constant(null)),
};

const byForm: Readonly<Record<FormName, fc.Arbitrary<unknown>>> = {
  uuid: fc.constant(declaration.params.sourceConnection),
  name: fc.oneof(text, fc.string({ minLength: 1 })),
  text: fc.constantFrom("", "A", null),
  flag: fc.constantFrom<unknown>(true, false, "true", "false", null),
  mergeKeys: fc.oneof(
    fc.array(fc.record({ colName: text, isPrimaryKey: fc.boolean() }, { requiredKeys: [] })),
    fc.constant(null),
  ),
};
const members = Object.entries<Param>(cachingParams);

/** Declarations of a caching job, from few values, so that equal declarations are common. */
export const cachingJobs: fc.Arbitrary<Declaration> = fc.record(
  {
    ...ofEachKind,
    params: fc.record(Object.fromEntries(members.map(([member, { form }]) => [member, byForm[form]])), {
      requiredKeys: members.flatMap(([member, param]) => (param.default === undefined ? [member] : [])),
    }),
    additionalParams: fc.oneof(fc.dictionary(text, jsonValue), fc.constant(null)),
  },
  { requiredKeys: ["intervalUnit", "intervalValue", "logVerbosity", "params"] },
);

export const scheduledQueryJobs: fc.Arbitrary<Declaration> = fc.record(
  {
    ...ofEachKind,
    params: fc.dictionary(fc.constantFrom("name", "query", "other"), jsonValue),
  },
  { requiredKeys: ["intervalUnit", "intervalValue", "logVerbosity", "params"] },
);
