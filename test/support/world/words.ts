import fc from "fast-check";
import type { ValueOf } from "../randomService.js";
import type { IdFormName, MemberFormName, TextFormName } from "./forms.js";
import type { GatewayName } from "./gateways.js";
import type { Fault, Mishap } from "./network.js";

/**
 * A resource of a program, by its name, and the table or the query that it copies. Two want the same table. `m` is `n`
 * under another name, without an alias.
 */
export const sourceOf = { a: "A", b: "B", c: "C", again: "A", q: "Q", n: "N", m: "N" } as const;
export type Name = keyof typeof sourceOf;
export const names: readonly Name[] = ["a", "b", "c", "again", "q", "n", "m"];
export type Source = (typeof sourceOf)[Name];

/** Whether a resource is one of these. */
export const isName = (name: string): name is Name => name in sourceOf;

export type Mode = "create" | "all";

export const labelOf = (name: Name): string => {
  const source = sourceOf[name];
  return `${source === "Q" || source === "N" ? "ScheduledQueryJob" : "CachingJob"} "${name}"`;
};

/** The usual value, and rarely one of the others. */
function rarely<Value>(usual: Value, others: readonly Value[], weight = 7): fc.Arbitrary<Value> {
  return fc.oneof({ arbitrary: fc.constant(usual), weight }, { arbitrary: fc.constantFrom(...others), weight: 1 });
}

const hourMs = 3_600_000;

/** How everything is for a whole sequence. */
const setting = fc
  .record({
    texts: rarely<TextFormName>("asSent", [
      ...(["trimmed", "withoutLineBreak", "escaped", "cut", "inSmallLetters", "decomposed"] as const),
    ]),
    ids: rarely<IdFormName>("asMade", ["inCapitals", "inBraces", "withoutHyphens"], 12),
    numericIds: rarely(false, [true]),
    members: rarely<MemberFormName>("asMade", [
      ...(["filledIn", "reordered", "asTexts"] as const),
      "withoutDefaults" as const,
    ]),
    summaries: rarely(false, [true]),
    others: rarely(0, [3, 60], 20),
    replicas: rarely<readonly { readonly listMs: number; readonly getMs: number }[]>(
      [],
      [
        [{ listMs: 3000, getMs: 3000 }],
        [{ listMs: 8000, getMs: 8000 }],
        [{ listMs: 8000, getMs: 0 }],
        [
          { listMs: 0, getMs: 8000 },
          { listMs: 8000, getMs: 0 },
        ],
        [
          { listMs: 0, getMs: 0 },
          { listMs: 8000, getMs: 8000 },
        ],
      ],
    ),
    /** How far the service's clock is ahead. */
    aheadMs: rarely(0, [20_000, -20_000, 200_000, -200_000, 3 * hourMs, -3 * hourMs]),
    createdAheadMs: rarely(0, [-4000, 4000], 12),
    hidesDate: rarely(false, [true], 12),
    limit: rarely<{ readonly perMinute: number; readonly tells: boolean } | undefined>(undefined, [
      { perMinute: 4, tells: true },
      { perMinute: 9, tells: false },
      { perMinute: 20, tells: true },
    ]),
    gateway: rarely<GatewayName>("none", [
      "countsAttempts",
      "countsRetries",
      "warns",
      "tellsRanges",
      "tellsStatus",
      "keepsSources",
      "datesWhatIsKept",
    ]),
    /** How far the clock of each machine is ahead. */
    machines: rarely<readonly number[]>([0], [[0, 0], [0, 1_200_000], [1_200_000, 0], [0, -1_200_000], [900_000]], 3),
    checkpoints: rarely<"each" | "end" | "journal">("each", ["end", "journal"]),
    exportMs: rarely(300, [8000], 5),
    timeoutSeconds: fc.constantFrom(60, 2, 2, 3),
    /** Whose `params` are secrets. */
    secrets: rarely<"none" | "queries" | "all">("none", ["queries", "all"], 6),
    hookRepeats: rarely(0, [3, 60], 12),
    /** Before which command the service gives the account a new subject, if it does. */
    renamesBefore: rarely<number | undefined>(undefined, [1, 2], 12),
    /** In which commands the accounts' tokens do not show their subjects. */
    opaqueIn: rarely<readonly number[]>([], [[0], [1], [0, 1, 2, 3, 4, 5]], 8),
    /** Whether a replacement deletes the old job last, where the program decides that. */
    deletesLast: rarely(false, [true], 4),
    /** Before which command the stack gets a new name, if it does. */
    renamesStackBefore: rarely<number | undefined>(undefined, [1, 2], 12),
    /** Before which command `jobOperations` becomes what it is at last, if it was something else before. */
    switchesModeBefore: rarely<number | undefined>(undefined, [1, 2], 12),
    /** When the first start that `c` declares is, counted from the beginning. */
    firstStartMs: fc.constantFrom(60_000, 1_800_000),
  })
  // Where names are told in another form, two jobs of one table, as mode `create` allows, cannot be changed in mode `all`.
  // Nor does a user change the mode while the account has a new subject, or does a state without checkpoints show which of
  // the two a killed run made for which resource.
  .map((all) => {
    const maySwitch = all.texts === "asSent" && all.renamesBefore === undefined && all.checkpoints !== "end";
    return {
      ...all,
      switchesModeBefore: maySwitch ? all.switchesModeBefore : undefined,
      // Each repeat would read dozens of jobs by their ids.
      hookRepeats: all.summaries && all.others > 3 ? 0 : all.hookRepeats,
    };
  });

const interval = fc.integer({ min: 1, max: 4 });
const intervals = { a: interval, b: interval, c: interval, again: interval, q: interval, n: interval };
const declaredOf = (requiredKeys: (keyof typeof intervals)[]): fc.Arbitrary<Declared> =>
  fc
    .tuple(fc.record(intervals, { requiredKeys }), rarely<boolean>(false, [true], 3))
    .map(([declared, isRenamed]): Declared => (isRenamed ? renamed(declared) : declared));
const renamed = ({ n, ...others }: Declared): Declared => (n === undefined ? others : { ...others, m: n });

/** The interval that each resource declares; absent if it is not declared. */
export type Declared = Readonly<Partial<Record<Name, number>>>;

/**
 * What somebody else does at the service; `add`, `copy` and `move` only if the source has no job. `copy`: as the program has
 * it. `move`: gives a job of somebody else this source.
 */
const stranger = fc.record({
  kind: fc.constantFrom("change", "change", "remove", "add", "add", "copy", "move"),
  source: fc.constantFrom("A", "B", "C", "Q"),
  intervalValue: fc.integer({ min: 5, max: 8 }),
});

/** What may happen between two awaits of a command. */
const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("stranger"), does: stranger }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("kill"), what: fc.constantFrom("engine", "provider", "both") }),
  },
  fc.record({ kind: fc.constant("cancel"), twice: fc.boolean() }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("preview"), follows: fc.boolean() }) },
  fc.record({ kind: fc.constant("clock"), byMs: fc.constantFrom(-1_200_000, -20_000, 20_000, 1_200_000) }),
  fc.record({ kind: fc.constant("cancelLock") }),
);

const interruption = fc.record({
  /** Before which event of the command, or after how many of its requests that change something. */
  at: fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 200 }), fc.record({ written: fc.integer({ min: 1, max: 4 }) })),
  act,
});

const on = fc.constantFrom(
  "create",
  "create",
  "create",
  "update",
  "update",
  "delete",
  "delete",
  "list",
  "get",
  "sources",
);
const perhaps = fc.boolean();
const refusals = fc.constantFrom(400, 401, 403, 405, 409, 422);
const ambiguous = fc.constantFrom(301, 307, 408, 499, 500, 502, 503, 504, 520);
const nothing = fc.constant({});
const bodies = fc.constantFrom("", "oops", "<html><title>Bad</title>", '{"error":"no"}', "[[[", '{"id":"x"}');
const status = fc.constant("status");
const pauses = fc.constantFrom<Record<string, string>>(
  {},
  { "retry-after": "0" },
  { "retry-after": "2" },
  { "retry-after": "120" },
  { "retry-after": "590" },
  { "retry-after": "soon" },
);

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("lost"), processed: perhaps }) },
  fc.record({ kind: fc.constant("refused") }),
  fc.record({ kind: status, status: refusals, processed: fc.constant(false), headers: nothing, body: bodies }),
  fc.record({ kind: status, status: ambiguous, processed: perhaps, headers: pauses, body: bodies }),
  fc.record({
    kind: status,
    status: fc.constant(429),
    processed: fc.constant(false),
    headers: pauses,
    body: fc.constant(""),
  }),
  fc.record({ kind: status, status: fc.constant(200), processed: perhaps, headers: nothing, body: bodies }),
  fc.record({
    kind: fc.constant("edited"),
    edit: fc.constantFrom(
      ...([
        "withoutParams",
        "ofSummaries",
        "withoutEnabled",
        "withoutType",
        "ofAnotherJob",
        "ofOnePage",
        "accepted",
      ] as const),
    ),
    processed: fc.constant(true),
  }),
  fc.record({ kind: fc.constant("edited"), edit: fc.constant("ofGateway"), processed: perhaps }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("slow"), ms: fc.constantFrom(1000, 15_000, 45_000) }) },
  fc.record({
    kind: fc.constant("twice"),
    second: fc.constantFrom(200, 400, 409, 429 as const),
  }),
  fc.record({ kind: fc.constant("echo"), status: fc.constantFrom(400, 500, 200) }),
);

const fault: fc.Arbitrary<Fault> = fc.record({
  on,
  after: fc.nat({ max: 2 }),
  times: fc.constantFrom(1, 1, 2, 5, -1),
  what: mishap,
});

const provider = fc.constantFrom("otherHost", "p2", "elsewhere", "otherAccount");

/** How a command's program is run. */
const moves = fc.record({
  providers: fc
    .record({ a: provider, b: provider, c: provider }, { requiredKeys: [] })
    // Two providers do not know each other's creates, so both resources for one table have the same provider.
    .map(({ a, ...others }) => (a === undefined ? others : { a, again: a, ...others })),
  refresh: fc.boolean(),
  replaceOnChanges: fc.subarray([...names]),
  /** Whether an alias gives one of the two resources that want the same table the other resource's name. */
  renamed: fc.boolean(),
  targets: rarely<readonly Name[] | undefined>(undefined, [["a"], ["b"], ["c", "q"], ["a", "b", "n"]], 4),
  replaces: rarely<readonly Name[]>([], [["a"], ["b"], ["q"]]),
  taints: rarely<readonly Name[]>([], [["a"], ["b"], ["q", "n"]]),
});
const once = { targets: undefined, replaces: [], taints: [] } as const;
export const unmoved: Moves = { providers: {}, refresh: false, replaceOnChanges: [], renamed: false, ...once };
/** Without what is meant for one command. */
export const afterOnce = (moved: Moves): Moves => ({ ...moved, ...once });

export const settledMs = 130_000;

const step = fc.record({
  kind: fc.constantFrom("up", "up", "up", "up", "up", "preview", "refresh", "destroy"),
  declared: declaredOf([]),
  machine: fc.nat({ max: 1 }),
  skipPreview: fc.constantFrom(true, true, false),
  continueOnError: fc.boolean(),
  moves: fc.oneof({ weight: 2, arbitrary: fc.constant(unmoved) }, moves),
  before: fc.oneof({ weight: 2, arbitrary: fc.constant<Stranger[]>([]) }, fc.array(stranger, { maxLength: 2 })),
  during: fc.oneof(
    { weight: 3, arbitrary: fc.constant<ValueOf<typeof interruption>[]>([]) },
    fc.array(interruption, { minLength: 1, maxLength: 2 }),
  ),
  faults: fc.oneof({ weight: 2, arbitrary: fc.constant<Fault[]>([]) }, fc.array(fault, { minLength: 1, maxLength: 2 })),
  /** How much time passes before the command. */
  afterMs: fc.constantFrom(0, 1000, 4000, 20_000, 360_000, 600_000, settledMs, settledMs, 730_000, 780_000),
  /** Whether the user then does what the messages say. */
  follows: fc.boolean(),
});

/** A resource leaves the program and soon comes back, and its create is lost: what is deleted may still be shown. */
const comesBack = fc
  .tuple(
    step,
    fc.constantFrom("b", "c", "q"),
    fc.constantFrom(0, 1000, 4000, 20_000),
    fc.record({ kind: fc.constant("lost"), processed: perhaps }),
  )
  .map(([{ declared: all, ...words }, name, afterMs, what]): StepWords[] => {
    const { [name]: interval = 1, ...others } = all;
    const calm: Omit<StepWords, "declared"> = {
      ...words,
      ...{ kind: "up", moves: unmoved, before: [], during: [], faults: [] },
    };
    const declared = { ...others, [name]: interval };
    return [
      { ...calm, declared },
      { ...calm, declared: others, afterMs },
      { ...calm, declared, afterMs, faults: [{ on: "create", after: 0, times: 1, what }] },
    ];
  });

export const randomSequence = fc.record({
  setting,
  /** Decides what chance decides; 0: everything takes the least time. */
  noise: fc.nat({ max: 1_000_000 }),
  steps: fc
    .array(
      fc.oneof(
        { weight: 20, arbitrary: step.map((one): readonly StepWords[] => [one]) },
        { weight: 1, arbitrary: comesBack },
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.flat()),
  last: fc
    .tuple(declaredOf(["b"]), fc.constantFrom("a", "again"))
    // This keeps only one of the two resources that want the same table.
    .map(([declared, kept]): Declared => ({ ...declared, [kept === "a" ? "again" : "a"]: undefined })),
});

export type Setting = ValueOf<typeof setting>;
export interface Moves {
  readonly providers: Readonly<Partial<Record<string, string>>>;
  readonly refresh: boolean;
  readonly replaceOnChanges: readonly Name[];
  readonly renamed: boolean;
  /** `--target` */
  readonly targets: readonly Name[] | undefined;
  /** `--replace` */
  readonly replaces: readonly Name[];
  /** The resources of the state that `pulumi state taint` marks before the command. */
  readonly taints: readonly Name[];
}
export type Act = ValueOf<typeof act>;
export type Stranger = ValueOf<typeof stranger>;
export type StepWords = ValueOf<typeof step>;
export type Sequence = ValueOf<typeof randomSequence>;
