import fc from "fast-check";
import type { FaultScope } from "../../provider/src/testing/emulator/faults.js";
import type { TestFault, TestServer } from "./emulator/index.js";

/** A random run: how many creates, how many at a time, and the faults of the service. */
export interface RandomRun {
  readonly timeoutSeconds: (typeof timeouts)[number];
  readonly faults: readonly TestFault[];
  readonly creates: number;
  readonly parallel: number;
  /** Repeat the call of each unconfirmed create, as an `onError` hook makes the engine do. */
  readonly hook: boolean;
}

const timeouts = [1, 2, 3] as const;

/** A service's accounts whose names begin with `name`, one per timeout. */
export const accountsFor = (name: string, { baseUrl, token }: Pick<TestServer, "baseUrl" | "token">) =>
  Object.fromEntries(
    timeouts.map((timeoutSeconds) => [accountOf(name, { timeoutSeconds }), { baseUrl, token, timeoutSeconds }]),
  );

export const accountOf = (name: string, { timeoutSeconds }: Pick<RandomRun, "timeoutSeconds">): string =>
  `${name}-${timeoutSeconds}`;

/** Statuses that this package takes to mean "nothing was made". In these runs this meaning is always true. */
const refusals = [400, 401, 403, 404, 405, 409, 413, 422, 429, 301, 302, 307, 308];
const ambiguous = [200, 201, 204, 303, 304, 408, 499, 500, 502, 503, 504, 520];

const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

const requestScope = fc.record({
  // A fault of `sources` ends most runs before their first create, so runs with few such faults find more bugs.
  on: fc.constantFrom("create", "create", "create", "create", "sources", undefined),
  after: fc.nat({ max: 4 }),
  times: fc.constantFrom(1, 1, 2, 3, -1),
  every: fc.constantFrom(1, 1, 2, 3),
}) satisfies fc.Arbitrary<FaultScope>;

const headers = fc.constantFrom<Record<string, string>>(
  {},
  {},
  { "Retry-After": "0" },
  { "Retry-After": "1" },
  { "Retry-After": "2" },
  { "Retry-After": "120" },
  { "Retry-After": "soon" },
  { Location: "https://else.example/" },
);
const texts = fc.constantFrom(
  "",
  "oops",
  "<html><title>Bad</title>",
  '{"jobs":null}',
  '{"jobs":[]}',
  '{"id":"x"}',
  "[[[",
);

const fault: fc.Arbitrary<TestFault> = fc
  .oneof(
    fc.record({
      kind: fc.constant("reply" as const),
      status: fc.constantFrom(...refusals),
      headers,
      body: optional(texts),
      processed: fc.constant(false),
    }),
    fc.record({
      kind: fc.constant("reply" as const),
      status: fc.constantFrom(...ambiguous),
      headers,
      body: optional(texts),
      processed: fc.boolean(),
    }),
    fc.record({
      kind: fc.constantFrom("reset" as const, "close" as const, "silence" as const),
      when: fc.constantFrom("request" as const, "headers" as const, "body" as const),
      processed: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant("truncated" as const),
      framing: fc.constantFrom("length" as const, "chunked" as const, "closeDelimited" as const),
      processed: fc.boolean(),
    }),
    fc.record({ kind: fc.constant("garbage" as const), processed: fc.boolean() }),
    fc.record({ kind: fc.constant("echoToken" as const), status: fc.constantFrom(400, 401, 500, 200) }),
    fc.record({ kind: fc.constant("delay" as const), ms: fc.nat({ max: 100 }) }),
    fc.record({ kind: fc.constant("drip" as const), everyMs: fc.constantFrom(1, 200), bytes: fc.constant(40) }),
    fc.record({ kind: fc.constantFrom("bomb" as const, "oversized" as const), mebibytes: fc.constantFrom(1, 12) }),
  )
  .chain((broken) => requestScope.map((scope): TestFault => ({ ...broken, ...scope })));

/** Faults of a connection have no `on`: they happen before there is a request. */
const connectFault: fc.Arbitrary<TestFault> = fc.record({
  kind: fc.constantFrom("reset" as const, "close" as const, "silence" as const),
  when: fc.constant("connect" as const),
  after: fc.nat({ max: 4 }),
  times: fc.constantFrom(1, 2),
});

export const randomRun: fc.Arbitrary<RandomRun> = fc.record({
  timeoutSeconds: fc.constantFrom(1, 1, 2, 3),
  faults: fc.array(fc.oneof({ weight: 6, arbitrary: fault }, { weight: 1, arbitrary: connectFault }), {
    minLength: 1,
    maxLength: 4,
  }),
  creates: fc.integer({ min: 1, max: 12 }),
  parallel: fc.constantFrom(1, 2, 12),
  hook: fc.boolean(),
});
