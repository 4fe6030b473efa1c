import fc from "fast-check";

export interface Cases {
  readonly cases: number;
  /** How many cases run at once. Most of these cases are waiting. */
  readonly lanes: number;
}

/** The number of random cases: for more, set `PROPERTY_CASES`. */
export const casesOr = (usual: number): number => Number(process.env["PROPERTY_CASES"] ?? usual);

/** The same cases in each gate; the weekly workflow draws new ones. To repeat a failure, set `PROPERTY_SEED` to its seed. */
export const seed = Number(process.env["PROPERTY_SEED"] ?? 1);

/** The time limit for a process on a busy machine. */
const mostMsPerCase = 60_000;

/**
 * A test of random values, several at once. Each lane has its own seed. Only the first failure is reported. `check`
 * returns what occurred; `proves` gets everything that did, because the cases prove nothing unless certain things occur.
 */
export function testRandomly<Value>(
  title: string,
  { cases, lanes }: Cases,
  values: fc.Arbitrary<Value>,
  check: (value: Value) => Promise<Iterable<string>>,
  proves: (occurred: readonly string[]) => void = () => undefined,
): void {
  const occurred = new Set<string>();
  let failed: number | undefined;
  const inLane = (lane: number) =>
    fc.asyncProperty(values, async (value) => {
      if (failed !== undefined && failed !== lane) return;
      try {
        for (const one of await check(value)) occurred.add(one);
      } catch (error) {
        failed ??= lane;
        throw error;
      }
    });
  const numRuns = Math.ceil(cases / lanes);
  const runLane = (_: unknown, lane: number) => fc.assert(inLane(lane), { numRuns, seed: seed + lane });
  test(
    `${title} (${cases} random cases, seed ${seed})`,
    async () => {
      // Let all lanes end before anything that they started is stopped.
      const running = Array.from({ length: lanes }, runLane);
      await Promise.allSettled(running);
      await Promise.all(running);
      proves([...occurred]);
    },
    600_000 + cases * mostMsPerCase,
  );
}
