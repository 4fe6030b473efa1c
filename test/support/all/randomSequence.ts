import fc from "fast-check";
import type { TestFault } from "../emulator/index.js";
import { otherHost } from "./inProcess.js";

/** The resources of a random program, and the table of each. Two resources want the same table. */
export const tableOf = { a: "A", b: "B", c: "C", again: "A" } as const;
export type Name = keyof typeof tableOf;
export const names: readonly Name[] = ["a", "b", "c", "again"];

/** The interval that each resource declares; absent if the resource is not declared. */
export type Declared = Readonly<Partial<Record<Name, number>>>;

/** What someone else does to a table's job at the service before a command; `add` only if the table has none. */
export interface Behind {
  readonly kind: "change" | "remove" | "add";
  readonly table: "A" | "B" | "C";
  readonly intervalValue: number;
}

export interface Command {
  readonly kind: "up" | "refresh" | "destroy";
  readonly declared: Declared;
  readonly continueOnError: boolean;
  readonly moves: Moves;
  readonly behind: readonly Behind[];
  readonly faults: readonly TestFault[];
  /** Whether enough time has passed to resend unconfirmed creates. */
  readonly later: boolean;
}

/** Changes that make different processes handle one resource in one `up`. */
export interface Moves {
  /** The provider of each resource that is not on the default provider. */
  readonly providers: Readonly<Partial<Record<Name, string>>>;
  readonly refresh: boolean;
  readonly replaceOnChanges: readonly Name[];
  /** Whether an alias gives one of the two resources that want the same table the other resource's name. */
  readonly renamed: boolean;
}

export interface Sequence {
  readonly timeoutSeconds: number;
  readonly commands: readonly Command[];
  /** What is declared in the end, when everything works again. */
  readonly last: Declared;
  readonly lastMoves: Moves;
}

const interval = fc.integer({ min: 1, max: 4 });
const declaredOf = (requiredKeys: Name[]) =>
  fc.record({ a: interval, b: interval, c: interval, again: interval }, { requiredKeys });

const behind: fc.Arbitrary<Behind> = fc.record({
  kind: fc.constantFrom("change", "change", "remove", "add"),
  table: fc.constantFrom("A", "B", "C"),
  intervalValue: fc.integer({ min: 5, max: 8 }),
});

const operations = ["create", "create", "create", "update", "update", "delete", "delete", "list", "get"] as const;
const bodies = fc.constantFrom("oops", "<html><title>Bad</title>", '{"error":"no"}', "[[[", '{"id":"x"}');
const scope = {
  on: fc.constantFrom(...operations),
  after: fc.nat({ max: 2 }),
  times: fc.constantFrom(1, 1, 2, 5, -1),
};

const retryAfter = fc.constantFrom<Record<string, string>>(
  {},
  { "Retry-After": "0" },
  { "Retry-After": "1" },
  { "Retry-After": "2" },
);

/**
 * Faults of a service that breaks but does not lie: no clear reply says falsely that something was done or does not
 * exist. No client could detect such a lie.
 */
const fault: fc.Arbitrary<TestFault> = fc.oneof(
  fc.record({
    ...scope,
    kind: fc.constant("reply" as const),
    status: fc.constantFrom(400, 401, 403, 405, 409, 422, 301, 307),
    processed: fc.constant(false),
  }),
  fc.record({
    ...scope,
    kind: fc.constant("reply" as const),
    status: fc.constantFrom(303, 408, 499, 500, 502, 503, 504, 520),
    processed: fc.boolean(),
  }),
  fc.record({
    ...scope,
    kind: fc.constant("reply" as const),
    status: fc.constant(503),
    headers: retryAfter,
    processed: fc.boolean(),
  }),
  fc.record({
    ...scope,
    kind: fc.constant("reply" as const),
    status: fc.constant(200),
    body: bodies,
    processed: fc.boolean(),
  }),
  fc.record({
    ...scope,
    kind: fc.constant("reply" as const),
    status: fc.constantFrom(200, 204),
    // No delete: this reply to a delete means "done".
    on: fc.constantFrom("update" as const, "create" as const, "list" as const, "get" as const),
    body: fc.constant(""),
    processed: fc.boolean(),
  }),
  fc.record({
    ...scope,
    kind: fc.constant("reply" as const),
    status: fc.constant(429),
    headers: retryAfter,
    times: fc.constantFrom(1, 2, 3),
    processed: fc.constant(false),
  }),
  fc.record({
    ...scope,
    kind: fc.constantFrom("reset" as const, "close" as const, "silence" as const),
    when: fc.constantFrom("request" as const, "headers" as const, "body" as const),
    processed: fc.boolean(),
  }),
  fc.record({
    ...scope,
    kind: fc.constant("truncated" as const),
    framing: fc.constantFrom("length" as const, "chunked" as const, "closeDelimited" as const),
    processed: fc.boolean(),
  }),
  fc.record({ ...scope, kind: fc.constant("garbage" as const), processed: fc.boolean() }),
  fc.record({ ...scope, kind: fc.constant("echoToken" as const), status: fc.constantFrom(400, 500, 200) }),
);

const provider = fc.constantFrom(otherHost, "p2");
const moves: fc.Arbitrary<Moves> = fc.record({
  providers: fc.record({ a: provider, b: provider, c: provider, again: provider }, { requiredKeys: [] }),
  refresh: fc.boolean(),
  replaceOnChanges: fc.subarray([...names]),
  renamed: fc.boolean(),
});

const command: fc.Arbitrary<Command> = fc.record({
  moves,
  kind: fc.constantFrom("up", "up", "up", "up", "refresh", "destroy"),
  declared: declaredOf([]),
  continueOnError: fc.boolean(),
  behind: fc.array(behind, { maxLength: 2 }),
  faults: fc.array(fault, { maxLength: 3 }),
  later: fc.boolean(),
});

export const randomSequence: fc.Arbitrary<Sequence> = fc.record({
  timeoutSeconds: fc.constantFrom(1, 1, 2, 3),
  commands: fc.array(command, { minLength: 2, maxLength: 6 }),
  lastMoves: moves,
  last: fc
    .tuple(declaredOf(["b"]), fc.constantFrom("a" as const, "again" as const))
    // This keeps only one of the two resources that want the same table.
    .map(([declared, kept]) => ({ ...declared, [kept === "a" ? "again" : "a"]: undefined })),
});

/** The same sequence, but one process handles all resources of a run. */
export function withOneProvider({ commands, lastMoves, ...more }: Sequence): Sequence {
  const alone = (moves: Moves): Moves => ({ ...moves, providers: {} });
  return {
    ...more,
    commands: commands.map((each) => ({ ...each, moves: alone(each.moves) })),
    lastMoves: alone(lastMoves),
  };
}
