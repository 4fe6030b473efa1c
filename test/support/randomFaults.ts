import fc from "fast-check";
import type { FaultScope } from "../../provider/src/testing/emulator/faults.js";
import type { TestFault } from "./emulator/index.js";

export const reply = fc.constant("reply");
/** Whether the service processes a request before the fault. */
export const processed = { perhaps: fc.boolean(), never: fc.constant(false) };

const framing = fc.constantFrom("length", "chunked", "closeDelimited");
const breaks = fc.constantFrom("reset", "close", "silence");

/** Faults that cut off or garble a reply: they leave open whether the request was processed. */
export const brokenReply: fc.Arbitrary<TestFault> = fc.oneof(
  fc.record({ kind: breaks, when: fc.constantFrom("request", "headers", "body"), processed: processed.perhaps }),
  fc.record({ kind: fc.constant("truncated"), framing, processed: processed.perhaps }),
  fc.record({ kind: fc.constant("garbage"), processed: processed.perhaps }),
);

/** Connection faults have no `on`: they happen before there is a request. */
export const brokenConnection: fc.Arbitrary<TestFault> = fc.record({
  kind: breaks,
  when: fc.constant("connect"),
  after: fc.nat({ max: 4 }),
  times: fc.constantFrom(1, 2),
});

const hourMs = 3_600_000;

/** Properties of a working service. A limit and a lag are only for tests with a simulated clock. */
export const randomService = fc.record({
  limit: fc.option(fc.record({ perMinute: fc.integer({ min: 3, max: 30 }), tells: fc.boolean() }), { nil: undefined }),
  lagMs: fc.constantFrom(0, 0, 3000, 8000),
  /** How far the service's clock is ahead of this machine's. */
  aheadMs: fc.constantFrom(0, 0, 200_000, -200_000, 3 * hourMs, -3 * hourMs),
});

/** The faults, each at random requests unless it already says which. */
export const scattered = (faults: fc.Arbitrary<TestFault>, scope: fc.Arbitrary<FaultScope>): fc.Arbitrary<TestFault> =>
  fc.tuple(scope, faults).map(([where, fault]) => ({ ...where, ...fault }));

/** What an arbitrary generates. */
export type ValueOf<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
