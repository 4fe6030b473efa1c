import type { Config } from "./runOptions.js";
import { start } from "../emulated.js";
import type { TestServer } from "../emulator/index.js";
import { readState } from "../../../provider/src/lifecycle/resource.js";
import { FastClock } from "../fastClock.js";
import { testRandomly, type Cases } from "../lanes.js";
import { cachingInputs } from "./declarations.js";
import { configFor, inProcessStack } from "./inProcess.js";
import {
  names,
  randomSequence,
  tableOf,
  type Behind,
  type Command,
  type Declared,
  type Sequence,
} from "./randomSequence.js";
import type { CommandResult, Program, SavedResource, SimulatedStack } from "./simulatedStack.js";

/** What the program of a command declares, and how it is run. */
export type Declaring = Pick<Command, "declared" | "continueOnError" | "moves">;

export type Violation = readonly [isWrong: boolean, text: string];

export const jobIdOf = ({ outputs }: SavedResource): string | undefined => readState(outputs)?.job.id;

/** Runs one random sequence against one service, and collects every violation. */
export abstract class SequencePlayer {
  readonly violations: string[] = [];
  readonly steps = new Set<string>();
  /** What was done, for the message of a violation. */
  protected readonly log: string[] = [];

  protected readonly emulator: TestServer;
  protected readonly stack: SimulatedStack;
  protected readonly pass: Stage["pass"];
  /** The first start that `c` declares, in milliseconds since 1970. */
  protected readonly firstStart: number;

  constructor(
    { emulator, stack, pass, now }: Stage,
    protected readonly sequence: Sequence,
  ) {
    this.emulator = emulator;
    this.stack = stack;
    this.pass = pass;
    this.firstStart = now() + sequence.service.aheadMs + sequence.firstStartMs;
  }

  async play(): Promise<void> {
    for (const command of this.sequence.commands) {
      for (const one of command.behind) this.behind(one);
      this.pass(command.afterMs);
      this.emulator.inject(...command.faults);
      await this.observe(command.kind, command);
      this.emulator.repair();
    }
  }

  /** Does what someone else does before a command. */
  protected abstract behind(one: Behind): void;

  /** Runs a command, and notes which rules it broke. */
  protected abstract observe(kind: Command["kind"], command: Declaring): Promise<CommandResult>;

  protected programOf(declared: Declared): Program {
    const definedNextRun = new Date(this.firstStart).toISOString();
    return Object.fromEntries(
      names.flatMap((name) => {
        const intervalValue = declared[name];
        const more = { intervalValue, ...(name === "c" && { definedNextRun }) };
        return intervalValue === undefined ? [] : [[name, cachingInputs(name, tableOf[name], more)]];
      }),
    );
  }

  expectClean(): void {
    expect({ violations: this.violations, log: this.violations.length > 0 ? this.log : [] }).toEqual({
      violations: [],
      log: [],
    });
  }

  /** Runs one command, and notes what the command did. */
  protected async run(kind: Command["kind"], { declared, continueOnError, moves }: Declaring): Promise<CommandResult> {
    const result =
      kind === "up"
        ? await this.stack.up(this.programOf(declared), { continueOnError, ...moves })
        : await (kind === "refresh" ? this.stack.refresh() : this.stack.destroy());
    for (const step of Object.values(result.steps)) this.steps.add(step);
    this.log.push(`${kind} ${JSON.stringify([declared, moves])} → ${JSON.stringify(result.steps)} ${result.text}`);
    return result;
  }

  /** Renames a resource by an alias, if the state has the old name but not the new name. */
  protected renameByAlias({ declared, moves }: Pick<Command, "declared" | "moves">) {
    const [from, to] = declared.a === undefined ? (["a", "again"] as const) : (["again", "a"] as const);
    const isOther = declared[from] === undefined && declared[to] !== undefined;
    const { state } = this.stack;
    if (!moves.renamed || !isOther || !state.has(from) || state.has(to)) return undefined;
    this.stack.rename(from, to);
    return { from, to };
  }

  protected tokenIn(result: CommandResult): Violation {
    const texts = JSON.stringify([result, [...this.stack.state]]);
    return [texts.includes(this.emulator.token), "the token is shown or saved"];
  }

  protected require(...violations: readonly Violation[]): void {
    for (const [isWrong, text] of violations) if (isWrong) this.violations.push(`command ${this.log.length}: ${text}`);
  }
}

/** A service, and a stack whose runs use it. */
export interface Stage {
  readonly emulator: TestServer;
  readonly stack: SimulatedStack;
  readonly now: () => number;
  /** Lets time pass between two commands. */
  readonly pass: (ms: number) => void;
}

/** The stage of a sequence without a process around the host. */
export const inThisProcess =
  (config: Config = {}) =>
  async ({ timeoutSeconds, service: { aheadMs, ...service } }: Sequence): Promise<Stage> => {
    const clock = new FastClock();
    const { now } = clock;
    const emulator = await start({ ...service, now: () => now() + aheadMs });
    const stack = inProcessStack(() => ({ config: configFor(emulator, { timeoutSeconds, ...config }), clock }));
    const pass = (ms: number) => {
      clock.pass(ms);
    };
    return { emulator, stack, now, pass };
  };

/** A test that many random sequences do not break a rule. `proves` gets the steps that occurred. */
export function testSequences(
  title: string,
  cases: Cases,
  Player: new (stage: Stage, sequence: Sequence) => SequencePlayer,
  stageFor: (sequence: Sequence) => Promise<Stage>,
  proves?: (steps: readonly string[]) => void,
): void {
  const check = async (sequence: Sequence) => {
    const stage = await stageFor(sequence);
    const player = new Player(stage, sequence);
    await player.play();
    player.expectClean();
    await stage.emulator.stop();
    return player.steps;
  };
  testRandomly(title, cases, randomSequence, check, proves);
}
