import fc from "fast-check";
import { modes } from "../../../provider/src/config/index.js";
import { cachingJob, scheduledQueryJob, type Declaration, type JobKind } from "../../../provider/src/jobs/index.js";
import { isObject, membersOf } from "../../../provider/src/json.js";
import { transition, type Transition } from "../../../provider/src/lifecycle/transitions.js";
import { unknownValue } from "../../../provider/src/unknown.js";
import { cachingJobs, scheduledQueryJobs } from "../../support/arbitraryDeclarations.js";
import { declaration } from "../../support/declaration.js";
import { resource, savedResource } from "../../support/resource.js";

const baseUrl = "https://jobs.example.com";
const names = fc.constantFrom(undefined, "eu", "us");

/** Members that are never sent, for a test case to add to a declaration. */
const neverSent = fc.record(
  {
    existingJobId: fc.constantFrom("1", "2", null),
    changedAtService: fc.constantFrom("", "May", "June", null),
    account: fc.constantFrom("eu", "us", null),
  },
  { requiredKeys: [] },
);

type Path = readonly string[];

/** The path of each member, nested ones and elements of arrays included. */
const pathsIn = (value: unknown, path: Path = []): Path[] =>
  (isObject(value) || Array.isArray(value) ? Object.entries(value) : []).flatMap(
    ([member, inner]: [string, unknown]) => [[...path, member], ...pathsIn(inner, [...path, member])],
  );

/** Replaces the members of a value at these paths with unknowns. */
function masked(value: unknown, unknown: readonly Path[], path: Path = []): unknown {
  if (unknown.some((one) => one.join("\n") === path.join("\n"))) return unknownValue;
  if (Array.isArray(value)) return value.map((inner: unknown, n) => masked(inner, unknown, [...path, String(n)]));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [member, masked(inner, unknown, [...path, member])]),
  );
}

interface Case {
  readonly saved: Declaration;
  readonly declared: Declaration;
  /** `declared`, with some of its values unknown. */
  readonly preview: Declaration;
  readonly accounts: readonly [saved: string | undefined, now: string | undefined];
}

/** The new declaration is often the saved declaration with a few changes, so that `up` accepts the changes. */
const casesOf = (jobs: fc.Arbitrary<Declaration>): fc.Arbitrary<Case> =>
  fc
    .record({
      saved: fc.tuple(jobs, neverSent).map(([job, more]): Declaration => ({ ...job, ...more })),
      other: fc.tuple(jobs, neverSent).map(([job, more]): Declaration => ({ ...job, ...more })),
      changed: fc.option(
        fc.subarray(["intervalValue", "enabled", "params", "additionalParams", "definedNextRun", "existingJobId"]),
        { nil: undefined },
      ),
      confirmation: fc.constantFrom("May", "July"),
      accounts: fc.tuple(names, names),
    })
    .chain(({ saved, other, changed, confirmation, accounts }) => {
      const kept = Object.entries(saved).filter(([member]) => !changed?.includes(member));
      const declared =
        changed === undefined ? other : { ...other, ...Object.fromEntries(kept), changedAtService: confirmation };
      return fc.subarray(pathsIn(declared)).map((unknown) => {
        const preview = masked(declared, unknown);
        return { saved, declared, preview: membersOf(preview), accounts };
      });
    });

/** What random cases may not meet: an accepted change of these members, with an unknown value in the preview. */
const acceptedCase = (saved: Declaration, more: Declaration): [Case] => {
  const declared = { ...saved, ...more };
  return [{ saved, declared, preview: { ...declared, intervalValue: unknownValue }, accounts: [undefined, undefined] }];
};

const query: Declaration = { ...declaration, params: { query: "SELECT 1" } };

describe.each<[JobKind["resource"], "create" | "all", JobKind, fc.Arbitrary<Declaration>, Declaration]>([
  ["CachingJob", "create", cachingJob, cachingJobs, declaration],
  ["ScheduledQueryJob", "create", scheduledQueryJob, scheduledQueryJobs, query],
  ["CachingJob", "all", cachingJob, cachingJobs, declaration],
])("A preview of a %s with unknown values and job operations %s", (_name, jobOperations, kind, jobs, job) => {
  test("is never refused where up accepts it with some values", () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(casesOf(jobs), ({ saved, declared, preview, accounts: [was, now] }) => {
        const origin = { outcome: "created", baseUrl, account: was, at: "2026-11-01T12:00:00Z" } as const;
        const before = savedResource(kind, saved, { id: "1" }, origin);
        const kindOf = (inputs: Declaration): Transition["kind"] => {
          const { account } = inputs;
          const place =
            account === unknownValue ? undefined : { baseUrl, account: typeof account === "string" ? account : now };
          const today = { place, mayResend: false, mode: modes[jobOperations] };
          return transition(before, resource(kind, inputs), today).kind;
        };
        met.add(`${kindOf(declared)} ${kindOf(preview)}`);
        if (kindOf(declared) !== "refuse") expect(kindOf(preview)).not.toBe("refuse");
      }),
      { numRuns: 2000, examples: [acceptedCase(job, {}), acceptedCase(job, { changedAtService: "May" })] },
    );
    // The runs prove nothing unless accepted changes with unknowns occurred.
    expect([...met]).toEqual(expect.arrayContaining(["record decideDuringUp", "unchanged decideDuringUp"]));
  });
});
