import fc from "fast-check";

const hourMs = 3_600_000;

/** Properties of a working service. A limit and a lag are only for tests with a simulated clock. */
export const randomService = fc.record({
  limit: fc.option(fc.record({ perMinute: fc.integer({ min: 3, max: 30 }), tells: fc.boolean() }), { nil: undefined }),
  lagMs: fc.constantFrom(0, 0, 3000, 8000),
  /** How far the service's clock is ahead of this machine's. */
  aheadMs: fc.constantFrom(0, 0, 200_000, -200_000, 3 * hourMs, -3 * hourMs),
});

/** What an arbitrary generates. */
export type ValueOf<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
