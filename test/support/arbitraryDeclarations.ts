import fc from "fast-check";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { declaration } from "./declaration.js";

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

/** Declarations of a caching job, from few values, so that equal declarations are common. */
export const cachingJobs: fc.Arbitrary<Declaration> = fc.record(
  {
    ...ofEachKind,
    params: fc.record(
      {
        sourceConnection: fc.constant(declaration.params.sourceConnection),
        sourceName: text,
        sourceSchema: text,
        sourceTable: fc.string({ minLength: 1 }),
        timeCheckColumn: fc.constantFrom("", "A", null),
        autoTruncateStrings: fc.constantFrom<unknown>(true, false, "true", "false", null),
      },
      { requiredKeys: ["sourceConnection", "sourceName", "sourceSchema", "sourceTable"] },
    ),
    additionalParams: fc.oneof(fc.dictionary(text, fc.jsonValue({ maxDepth: 2 })), fc.constant(null)),
  },
  { requiredKeys: ["intervalUnit", "intervalValue", "logVerbosity", "params"] },
);

export const scheduledQueryJobs: fc.Arbitrary<Declaration> = fc.record(
  {
    ...ofEachKind,
    params: fc.dictionary(fc.constantFrom("name", "query", "other"), fc.jsonValue({ maxDepth: 2 })),
  },
  { requiredKeys: ["intervalUnit", "intervalValue", "logVerbosity", "params"] },
);
