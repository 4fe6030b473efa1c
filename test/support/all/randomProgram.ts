import fc from "fast-check";
import type { TestFault } from "../emulator/index.js";
import { randomService, type ValueOf } from "../randomService.js";
import { otherHost } from "./inProcess.js";

/** The resources of a random program, and the table of each. Two resources want the same table. */
export const tableOf = { a: "A", b: "B", c: "C", again: "A" } as const;
export type Name = keyof typeof tableOf;
export const names: readonly Name[] = ["a", "b", "c", "again"];

const provider = fc.constantFrom(otherHost, "p2");
/** Changes that make different processes handle one resource in one `up`. */
const randomMoves = fc.record({
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

const rarely = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 1 });

const table = fc.constantFrom("A", "B", "C");

/** A resource of a random program. A job to adopt is given by its place in the service's list. */
const resource = fc.record({
  intervalValue: fc.integer({ min: 1, max: 2 }),
  /** Default: the table that the resource has in every sequence. */
  table: fc.option(table, { nil: undefined, freq: 2 }),
  adopts: rarely(fc.record({ place: fc.nat({ max: 3 }), asItIs: fc.constantFrom(true, true, false) })),
  changedAtService: rarely(fc.constantFrom("May", "June")),
});

const program = fc.record({ a: resource, b: resource, c: resource, again: resource }, { requiredKeys: [] });

/** What someone else does at the service before a command. */
const behind = fc.record({
  kind: fc.constantFrom("change", "remove", "add", "add"),
  table,
  intervalValue: fc.integer({ min: 1, max: 3 }),
});

/** The reply to a create is lost and, in mode `all`, looking for its job fails: the create is unconfirmed. */
const lost = fc
  .record({ processed: fc.boolean(), after: fc.nat({ max: 1 }) })
  .map(({ processed, after }): TestFault[] => [
    { kind: "reset", on: "create", processed, after },
    { kind: "reply", status: 400, on: "list", after: 1, times: -1 },
  ]);

const command = fc.record({
  kind: fc.constantFrom("up", "up", "up", "up", "up", "refresh", "killed"),
  program,
  moves: randomMoves.chain((moves) => fc.constantFrom(moves, { ...moves, providers: {} })),
  continueOnError: fc.boolean(),
  behind: fc.array(behind, { maxLength: 2 }),
  /** Only an `up` without them is compared with its preview. */
  faults: fc.oneof({ weight: 2, arbitrary: fc.constant<TestFault[]>([]) }, lost),
  /** At least as long as the service's list is late. */
  afterMs: fc.constantFrom(10_000, 20_000, 130_000, 730_000),
  settings: fc.record({
    /** Default: the mode of the test. */
    jobOperations: fc.option(fc.constantFrom("create", "all"), { nil: undefined, freq: 4 }),
    subject: fc.constantFrom("one", "one", "one", "one", "two"),
    adoptMatching: fc.constantFrom(false, false, false, true),
    resends: fc.constantFrom(false, false, true),
  }),
});

export const randomPrograms = fc.record({
  // No limit: waiting after a request that the limit refuses would make an `up` later than its preview.
  service: randomService.map((service) => ({ ...service, limit: undefined })),
  commands: fc.array(command, { minLength: 2, maxLength: 6 }),
});

export type Programs = ValueOf<typeof randomPrograms>;
export type ProgramCommand = ValueOf<typeof command>;
