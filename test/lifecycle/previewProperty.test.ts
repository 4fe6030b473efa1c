import { ProgramPlayer } from "../support/all/programPlayer.js";
import { randomPrograms, type ProgramCommand, type Programs } from "../support/all/randomProgram.js";
import { otherHost } from "../support/all/inProcess.js";
import { stopAll } from "../support/emulated.js";
import { casesOr, testRandomly } from "../support/lanes.js";
import { isPlugin } from "../support/testedHost.js";

afterAll(stopAll);

const cases = casesOr(20);
const modes = ["create", "all"] as const;

for (const mode of modes)
  testRandomly(
    `In mode ${mode} a preview refuses a resource if and only if up refuses it, and changes nothing`,
    { cases, lanes: 16 },
    randomPrograms,
    async (programs) => {
      const player = await ProgramPlayer.start(mode, programs);
      await player.play(programs.commands);
      return player.verdicts;
    },
    (verdicts) => {
      // Few cases do not always meet an unchanged resource, or one that is changed.
      const rare = cases < 100 ? [] : ["same", "updated"];
      expect(verdicts).toEqual(expect.arrayContaining(["created", "refused", ...rare]));
    },
  );

type Declared = ProgramCommand["program"];
type Settings = ProgramCommand["settings"];

const settings: Settings = { jobOperations: undefined, subject: "one", adoptMatching: false, resends: false };

/** A command after enough time for an unconfirmed create to be no longer in flight. */
const command = (program: Declared, more: Partial<ProgramCommand> = {}): ProgramCommand => ({
  kind: "up",
  program,
  moves,
  continueOnError: false,
  behind: [],
  faults: [],
  afterMs: 130_000,
  settings,
  ...more,
});
const added: ProgramCommand["behind"] = [{ kind: "add", table: "A", intervalValue: 3 }];
/** After enough time for a killed run's create to be no longer in flight. */
const late = { afterMs: 730_000 } as const;
const gone: ProgramCommand["behind"] = [{ kind: "remove", table: "A", intervalValue: 1 }];
const plain = { intervalValue: 1, table: undefined, adopts: undefined, changedAtService: undefined };
const replacedBehind: ProgramCommand["behind"] = [
  { kind: "remove", table: "B", intervalValue: 1 },
  { kind: "add", table: "B", intervalValue: 1 },
];
const adopting = (place: number, asItIs = true) => ({ ...plain, adopts: { place, asItIs } });
const lost = (processed: boolean): ProgramCommand["faults"] => [
  { kind: "reset", on: "create", processed },
  { kind: "reply", status: 400, on: "list", after: 1, times: -1 },
];
const moves = { providers: {}, refresh: false, replaceOnChanges: [], renamed: false };
/** So soon that the state's unconfirmed create may still be in flight. */
const found = { afterMs: 10_000, moves: { ...moves, refresh: true } } as const;
/** Only the plugin has a token when it compares a job that does not change. */
const ofOtherSubject = isPlugin ? ["a", "b"] : ["b"];
const service: Programs["service"] = { limit: undefined, lagMs: 0, aheadMs: 0 };

/** What random programs may not meet in the few cases of a quick run. `refused`: by both, in the last command. */
const directed: readonly {
  readonly title: string;
  readonly commands: readonly ProgramCommand[];
  readonly refused: Readonly<Record<(typeof modes)[number], readonly string[]>>;
}[] = [
  {
    title: "a token of another subject",
    commands: [command({ a: plain }), command({ a: plain, b: plain }, { settings: { ...settings, subject: "two" } })],
    refused: { create: ofOtherSubject, all: ofOtherSubject },
  },
  {
    title: "an unconfirmed create that nothing resolves",
    commands: [command({ a: plain }, { faults: lost(false) }), command({ a: plain }, { afterMs: 10_000 })],
    refused: { create: ["a"], all: ["a"] },
  },
  {
    title: "an unconfirmed create that adopts a job that differs",
    commands: [command({ a: plain }, { faults: lost(false) }), command({ a: adopting(0, false) }, { behind: added })],
    refused: { create: [], all: ["a"] },
  },
  {
    title: "two resources that adopt one job",
    commands: [command({ a: adopting(0), again: adopting(0) }, { behind: added })],
    refused: { create: ["again"], all: ["again"] },
  },
  {
    title: "a resource that adopts the job of one that leaves",
    commands: [command({ a: plain }), command({ again: adopting(0) })],
    refused: { create: ["a"], all: [] },
  },
  {
    title: "a new resource whose source has a job",
    commands: [command({ a: plain }, { behind: added })],
    refused: { create: [], all: ["a"] },
  },
  {
    title: "a new resource of the source of a create that made no job",
    commands: [command({ again: plain }, { faults: lost(false) }), command({ a: plain, again: plain })],
    refused: { create: ["a", "again"], all: ["again"] },
  },
  {
    title: "a new resource of the declaration of a create that the user lets resend",
    commands: [
      command({ a: plain }, { faults: lost(false) }),
      command({ a: plain, again: plain }, { ...late, settings: { ...settings, resends: true } }),
    ],
    refused: { create: [], all: ["again"] },
  },
  {
    title: "two new resources of the source of a killed run's create",
    commands: [command({ again: plain }, { kind: "killed" }), command({ a: plain, again: plain })],
    refused: { create: ["a", "again"], all: ["again"] },
  },
  {
    title: "a new resource of the source that a killed run's create leaves",
    commands: [command({ b: { ...plain, table: "A" } }, { kind: "killed" }), command({ b: plain, again: plain }, late)],
    refused: { create: ["b", "again"], all: [] },
  },
  {
    title: "a new resource of the source that a resource moves to whose create a run was killed in",
    commands: [
      command({ b: plain }, { kind: "killed", afterMs: 10_000 }),
      command({ b: { ...plain, table: "C" }, c: plain }, { afterMs: 10_000 }),
    ],
    refused: { create: ["b"], all: ["b"] },
  },
  {
    title: "the job of a killed run's create that two providers look for",
    commands: [
      command({ again: plain }, { kind: "killed" }),
      command({ b: { ...plain, table: "A" }, again: plain }, { moves: { ...moves, providers: { b: "p2" } } }),
    ],
    refused: { create: ["b", "again"], all: ["again"] },
  },
  {
    title: "two jobs of one source in a run that adopts what matches",
    commands: [
      command({ a: plain, again: plain }, { kind: "killed", settings: { ...settings, jobOperations: "create" } }),
      command({ a: plain }, { settings: { ...settings, adoptMatching: true } }),
    ],
    refused: { create: ["a"], all: ["a"] },
  },
  {
    title: "someone else's job in place of that of a killed run's create",
    commands: [
      command({ b: plain }, { kind: "killed" }),
      command({ b: plain }),
      command({ b: plain }, { behind: replacedBehind, moves: { ...moves, refresh: true } }),
    ],
    refused: { create: ["b"], all: ["b"] },
  },
  {
    title: "the replacement of one of two jobs of a source",
    commands: [
      command(
        { a: plain, again: { ...plain, intervalValue: 2 } },
        { settings: { ...settings, jobOperations: "create" } },
      ),
      command({ a: { ...plain, intervalValue: 3 } }, { moves: { ...moves, replaceOnChanges: ["a"] } }),
    ],
    refused: { create: ["a"], all: ["a"] },
  },
  {
    title: "a source that a create leaves which made no job",
    commands: [
      command({ a: plain }, { faults: lost(false) }),
      command({ a: { ...plain, table: "B" }, c: { ...plain, table: "A" } }),
    ],
    refused: { create: ["a", "c"], all: [] },
  },
  {
    title: "a source that a killed run's create leaves which made no job",
    commands: [
      command({ a: plain }, { kind: "killed" }),
      command({ b: plain }),
      command({ a: { ...plain, table: "C" }, again: plain }, { ...late, behind: gone }),
    ],
    refused: { create: ["a", "again"], all: [] },
  },
  {
    title: "a job that a refresh of the same run found, and that moves",
    commands: [
      command({ a: plain }, { faults: lost(true) }),
      command({ a: { ...plain, table: "B" }, again: plain }, found),
    ],
    refused: { create: ["a", "again"], all: [] },
  },
  {
    title: "a job that a refresh of the same run found, and that moves, of the other host",
    commands: [
      command({ a: plain }, { faults: lost(true) }),
      command(
        { a: { ...plain, table: "B" }, again: plain },
        { ...found, moves: { ...found.moves, providers: { a: otherHost, again: otherHost } } },
      ),
    ],
    refused: { create: ["a", "again"], all: [] },
  },
  {
    title: "an unconfirmed create that replaceOnChanges names",
    commands: [
      command({ c: plain }, { faults: lost(true) }),
      command({ c: { ...plain, intervalValue: 2 } }, { moves: { ...moves, replaceOnChanges: ["c"] } }),
    ],
    refused: { create: ["c"], all: [] },
  },
];

describe.each(modes)("In mode %s a preview and up agree on", (mode) => {
  test.each(directed)("$title", async ({ commands, refused }) => {
    const player = await ProgramPlayer.start(mode, { service });
    await player.play(commands);
    expect(player.refused).toEqual(refused[mode]);
  });
});
