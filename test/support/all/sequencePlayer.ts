import type { Config } from "./runOptions.js";
import type { TestServer } from "../emulator/index.js";
import { readState } from "../../../provider/src/lifecycle/resource.js";
import { FastClock } from "../fastClock.js";
import { testRandomly, type Cases } from "../lanes.js";
import { cachingInputs } from "./declarations.js";
import { configFor, inProcessStack } from "./inProcess.js";
import { names, randomSequence, tableOf, type Command, type Declared, type Sequence } from "./randomSequence.js";
import { Repairable } from "./repairable.js";
import type { CommandResult, Program, SavedResource, SimulatedStack } from "./simulatedStack.js";

export type Violation = readonly [isWrong: boolean, text: string];

export const programOf = (declared: Declared): Program =>
  Object.fromEntries(
    names.flatMap((name) => {
      const intervalValue = declared[name];
      return intervalValue === undefined ? [] : [[name, cachingInputs(name, tableOf[name], { intervalValue })]];
    }),
  );

/** Statuses that mean "not processed" to this package: another resource's create may follow. */
export const isRefusal = (status = 0): boolean =>
  (status >= 400 && status < 500 && ![408, 499].includes(status)) || [307, 308].includes(status);

export const jobIdOf = ({ outputs }: SavedResource): string | undefined => readState(outputs)?.job.id;

/** Runs one random sequence against one service, and collects what must not happen. */
export abstract class SequencePlayer {
  readonly violations: string[] = [];
  readonly steps = new Set<string>();
  /** What was done, for the message of a violation. */
  protected readonly log: string[] = [];

  constructor(
    protected readonly service: Repairable,
    protected readonly stack: SimulatedStack,
  ) {}

  abstract play(sequence: Sequence): Promise<void>;

  expectClean(): void {
    expect({ violations: this.violations, log: this.violations.length > 0 ? this.log : [] }).toEqual({
      violations: [],
      log: [],
    });
  }

  protected get emulator(): TestServer {
    return this.service.emulator;
  }

  /** Runs one command, and notes what the command did. */
  protected async run(
    kind: Command["kind"],
    { declared, continueOnError, moves }: Pick<Command, "declared" | "continueOnError" | "moves">,
  ): Promise<CommandResult> {
    const result =
      kind === "up"
        ? await this.stack.up(programOf(declared), { continueOnError, ...moves })
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
interface Stage {
  readonly service: Repairable;
  readonly stack: SimulatedStack;
}

/** The stage of a sequence without a process around the host. */
export const inThisProcess =
  (config: Config = {}) =>
  async ({ timeoutSeconds }: Sequence): Promise<Stage> => {
    const clock = new FastClock();
    const service = await Repairable.start(clock);
    const stack = inProcessStack(() => ({ config: configFor(service.emulator, { timeoutSeconds, ...config }), clock }));
    return { service, stack };
  };

/** A test that many random sequences break no rule. `proves` gets the steps that occurred. */
export function testSequences(
  title: string,
  cases: Cases,
  Player: new (service: Repairable, stack: SimulatedStack) => SequencePlayer,
  stageFor: (sequence: Sequence) => Promise<Stage>,
  proves?: (steps: readonly string[]) => void,
): void {
  const check = async (sequence: Sequence) => {
    const { service, stack } = await stageFor(sequence);
    const player = new Player(service, stack);
    await player.play(sequence);
    player.expectClean();
    await service.emulator.stop();
    return player.steps;
  };
  testRandomly(title, cases, randomSequence, check, proves);
}
