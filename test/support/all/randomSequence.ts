import fc from "fast-check";
import type { FaultScope } from "../../../provider/src/testing/emulator/faults.js";
import type { TestFault } from "../emulator/index.js";
import {
  brokenConnection,
  brokenReply,
  processed,
  randomService,
  reply,
  scattered,
  type ValueOf,
} from "../randomFaults.js";
import { otherHost } from "./inProcess.js";

/** The resources of a random program, and the table of each. Two resources want the same table. */
export const tableOf = { a: "A", b: "B", c: "C", again: "A" } as const;
export type Name = keyof typeof tableOf;
export const names: readonly Name[] = ["a", "b", "c", "again"];

/** The interval that each resource declares; absent if the resource is not declared. */
export type Declared = Readonly<Partial<Record<Name, number>>>;

const interval = fc.integer({ min: 1, max: 4 });
const declaredOf = (requiredKeys: Name[]): fc.Arbitrary<Declared> =>
  fc.record({ a: interval, b: interval, c: interval, again: interval }, { requiredKeys });

/** What someone else does to a table's job at the service before a command; `add` only if the table has none. */
const behind = fc.record({
  kind: fc.constantFrom("change", "change", "remove", "add"),
  table: fc.constantFrom("A", "B", "C"),
  intervalValue: fc.integer({ min: 5, max: 8 }),
});

const bodies = fc.constantFrom("oops", "<html><title>Bad</title>", '{"error":"no"}', "[[[", '{"id":"x"}');
const headers = fc.constantFrom<Record<string, string>>(
  {},
  { "Retry-After": "0" },
  { "Retry-After": "1" },
  { "Retry-After": "2" },
  { "Retry-After": "120" },
  { "Retry-After": "soon" },
  { Location: "https://else.example/" },
);
const scope: fc.Arbitrary<FaultScope> = fc.record({
  on: fc.constantFrom("create", "create", "create", "update", "update", "delete", "delete", "list", "get", "sources"),
  after: fc.nat({ max: 2 }),
  times: fc.constantFrom(1, 1, 2, 5, -1),
});
const status = {
  refusal: fc.constantFrom(400, 401, 403, 405, 409, 422),
  ambiguous: fc.constantFrom(301, 302, 303, 307, 308, 408, 499, 500, 502, 503, 504, 520),
};
const { perhaps, never } = processed;
const edited = fc.constant("edited");

/**
 * Faults of a service that breaks but does not lie: no clear reply claims wrongly that something was done or does not
 * exist. No client could detect such a lie.
 */
const fault: fc.Arbitrary<TestFault> = fc.oneof(
  fc.record({ kind: reply, status: status.refusal, processed: never }),
  fc.record({ kind: reply, status: status.ambiguous, processed: perhaps }),
  fc.record({ kind: reply, status: fc.constant(503), headers, processed: perhaps }),
  fc.record({ kind: reply, status: fc.constant(200), body: bodies, processed: perhaps }),
  fc.record({
    kind: reply,
    status: fc.constantFrom(200, 204),
    // No delete: this reply to a delete means "done".
    on: fc.constantFrom("update", "create", "list", "get"),
    body: fc.constant(""),
    processed: perhaps,
  }),
  fc.record({ kind: reply, status: fc.constant(429), headers, times: fc.constantFrom(1, 2, 3), processed: never }),
  // A service that reports less than it could, reports another job, or only makes promises.
  fc.record({
    kind: edited,
    on: fc.constantFrom("list", "get"),
    edit: fc.constantFrom(
      "withoutParams",
      "ofSummaries",
      "withoutEnabled",
      "withoutType",
      "inSmallLetters",
      "ofOnePage",
    ),
  }),
  fc.record({ kind: edited, on: fc.constantFrom("create", "update"), edit: fc.constant("ofAnotherJob") }),
  fc.record({
    kind: edited,
    on: fc.constantFrom("create", "update", "delete"),
    edit: fc.constant("accepted"),
    processed: perhaps,
  }),
  { weight: 3, arbitrary: brokenReply },
  fc.record({ kind: fc.constant("echoToken"), status: fc.constantFrom(400, 500, 200) }),
);

const provider = fc.constantFrom(otherHost, "p2");
/** Changes that make different processes handle one resource in one `up`. */
export const randomMoves = fc.record({
  /** The provider of each resource that is not on the default provider. */
  providers: fc
    .record({ a: provider, b: provider, c: provider }, { requiredKeys: [] })
    // Two providers do not know each other's creates, so both resources for one table have the same provider.
    .map(({ a, ...others }) => (a === undefined ? others : { a, again: a, ...others })),
  refresh: fc.boolean(),
  replaceOnChanges: fc.subarray([...names]),
  /** Whether an alias gives one of the two resources that want the same table the other resource's name. */
  renamed: fc.boolean(),
});

export const settledMs = 130_000;

const command = fc.record({
  moves: randomMoves,
  kind: fc.constantFrom("up", "up", "up", "up", "refresh", "destroy"),
  declared: declaredOf([]),
  continueOnError: fc.boolean(),
  behind: fc.array(behind, { maxLength: 2 }),
  faults: fc.array(fc.oneof({ weight: 6, arbitrary: scattered(fault, scope) }, brokenConnection), { maxLength: 3 }),
  /** How much time passes before the command. After the longest, unconfirmed creates are no longer in flight. */
  afterMs: fc.constantFrom(0, 1000, 4000, 20_000, settledMs, settledMs, settledMs),
});

export const randomSequence = fc.record({
  service: randomService,
  timeoutSeconds: fc.constantFrom(1, 1, 2, 3),
  /** When the first start that `c` declares is, counted from the beginning of the sequence. */
  firstStartMs: fc.constantFrom(60_000, 1_800_000),
  commands: fc.array(command, { minLength: 2, maxLength: 6 }),
  lastMoves: randomMoves,
  /** What is declared in the end, when everything works again. */
  last: fc
    .tuple(declaredOf(["b"]), fc.constantFrom("a", "again"))
    // This keeps only one of the two resources that want the same table.
    .map(([declared, kept]): Declared => ({ ...declared, [kept === "a" ? "again" : "a"]: undefined })),
});

export type Behind = ValueOf<typeof behind>;
export type Moves = ValueOf<typeof randomMoves>;
export type Command = ValueOf<typeof command>;
export type Sequence = ValueOf<typeof randomSequence>;
