import fc from "fast-check";

export interface Cases {
  readonly cases: number;
  readonly seed: number;
  /** How many cases run at once. Most of these cases are waiting. */
  readonly lanes: number;
}

/**
 * Checks a property of random values, several at once. Each lane has its own seed. Only the first failure is reported.
 */
export async function assertInLanes<Value>(
  values: fc.Arbitrary<Value>,
  check: (value: Value) => Promise<void>,
  { cases, seed, lanes }: Cases,
): Promise<void> {
  let failed: number | undefined;
  const inLane = (lane: number) =>
    fc.asyncProperty(values, async (value) => {
      if (failed !== undefined && failed !== lane) return;
      try {
        await check(value);
      } catch (error) {
        failed ??= lane;
        throw error;
      }
    });
  const numRuns = Math.ceil(cases / lanes);
  await Promise.all(
    Array.from({ length: lanes }, (_, lane) => fc.assert(inLane(lane), { numRuns, seed: seed + lane })),
  );
}
