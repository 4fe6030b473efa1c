import type { Declaration } from "../../../provider/src/jobs/index.js";
import { readState } from "../../../provider/src/lifecycle/resource.js";
import type { EmulatedJob } from "../../../provider/src/testing/emulator/types.js";
import { MemoryNotes } from "./memoryNotes.js";
import { start } from "../emulated.js";
import type { TestServer } from "../emulator/index.js";
import { FastClock } from "../fastClock.js";
import { jwt } from "../jwt.js";
import { previewAndUp } from "./comparedUp.js";
import { disagreementsIn } from "./previewExceptions.js";
import { cachingBody, cachingInputs } from "./declarations.js";
import { configFor, inProcessStack } from "./inProcess.js";
import { names, tableOf, type Name, type ProgramCommand, type Programs } from "./randomProgram.js";
import { resending } from "../resending.js";
import { urnIn } from "./hosts.js";
import type { Program, SavedResource, SimulatedStack } from "./simulatedStack.js";

const jobIdOf = ({ outputs }: SavedResource): string | undefined => readState(outputs)?.job.id;

type Mode = "create" | "all";

const tokens = { one: jwt({ iss: "service", sub: "one" }), two: jwt({ iss: "service", sub: "two" }) };

/** Plays random programs, and previews each before its `up`. */
export class ProgramPlayer {
  /** The commands, for the message of a violation. */
  private readonly log: string[] = [];
  private readonly violations: string[] = [];
  /** What preview and `up` agreed on. */
  readonly verdicts = new Set<string>();
  /** The resources that the last `up` refused. */
  refused: readonly string[] = [];
  private readonly stack: SimulatedStack;
  private settings: ProgramCommand["settings"] = {
    jobOperations: undefined,
    subject: "one",
    adoptMatching: false,
    resends: false,
  };

  private constructor(
    private readonly emulator: TestServer,
    private readonly usual: Mode,
    private readonly clock: FastClock,
    private readonly isListLate: boolean,
  ) {
    this.stack = inProcessStack(() => this.today());
  }

  static async start(
    usual: Mode,
    { service: { aheadMs, ...service } }: Pick<Programs, "service">,
  ): Promise<ProgramPlayer> {
    const clock = new FastClock();
    const now = () => clock.now() + aheadMs;
    const emulator = await start({ ...service, now, acceptToken: () => true });
    return new ProgramPlayer(emulator, usual, clock, service.lagMs > 0);
  }

  private readonly notes = new MemoryNotes();

  private get mode(): Mode {
    return this.settings.jobOperations ?? this.usual;
  }

  /** Plays the commands, and expects that each preview and its `up` agree. */
  async play(commands: readonly ProgramCommand[]): Promise<void> {
    for (const command of commands) await this.playOne(command);
    const { violations, log } = this;
    expect({ violations, log: violations.length > 0 ? log : [] }).toEqual({ violations: [], log: [] });
    await this.emulator.stop();
  }

  private async playOne(command: ProgramCommand): Promise<void> {
    await this.run(command);
    if (command.kind !== "killed") this.stack.savedAt = this.clock.now();
  }

  private async run(command: ProgramCommand): Promise<void> {
    const { emulator, stack } = this;
    this.settings = command.settings;
    for (const one of command.behind) this.behind(one);
    this.clock.pass(command.afterMs);
    const { continueOnError, moves, kind, faults } = command;
    const program = this.programOf(command.program);
    const options = {
      // The engine has no order for resources that do not depend on each other, and the first one gets the job.
      serial: true,
      continueOnError,
      ...moves,
    };
    const mode = this.mode;
    const jobs = emulator.jobs.map(({ id, params, intervalValue }) => [id, params["sourceTable"], intervalValue]);
    const log = (...told: unknown[]) => {
      this.log.push(JSON.stringify([kind, mode, command.settings, command.program, moves, "jobs", jobs, ...told]));
    };
    if (kind === "refresh") log((await stack.refresh()).steps);
    else if (kind === "killed") log(await this.kill(program, command.afterMs >= 130_000));
    else if (faults.length > 0) {
      emulator.inject(...faults);
      log("lost", (await stack.up(program, options)).steps);
      emulator.repair();
    } else {
      const before = new Map(stack.state);
      const stage = { emulator, stack, clock: this.clock, mode, isListLate: this.isListLate };
      const { preview, up, changes, compared } = await previewAndUp(stage, program, options);
      log("preview", preview.steps, "up", up.steps);
      for (const { name, inPreview, inUp } of disagreementsIn(compared))
        this.violations.push(`${name}: preview: ${inPreview ?? "accepted"}\nup: ${inUp ?? "accepted"}`);
      this.violations.push(...changes);
      const idIn = (state: ReadonlyMap<string, SavedResource>, name: string) => {
        const saved = state.get(name);
        return saved && jobIdOf(saved);
      };
      // Two providers do not know each other's jobs of this run.
      const comparable = compared.filter(
        ({ name, inUp, isSharedByProviders }) => name in program && inUp === undefined && !isSharedByProviders,
      );
      const holders = comparable.map(({ name }) => ({ name, id: idIn(stack.state, name), before: idIn(before, name) }));
      const isShared = holders.some(
        (one) =>
          one.id !== undefined &&
          one.id !== one.before &&
          holders.some(({ name, id }) => name !== one.name && id === one.id),
      );
      if (mode === "all" && isShared) this.violations.push("two resources have one job");
      for (const { name, inPreview, inUp } of compared)
        this.verdicts.add(inPreview !== undefined && inUp !== undefined ? "refused" : (up.steps[name] ?? ""));
      this.refused = compared.flatMap(({ name, inUp }) => (inUp === undefined ? [] : [name]));
    }
  }

  /** Plays an `up` that is killed before the engine records its creates. `isHere`: on the machine of the later runs. */
  private async kill(program: Program, isHere: boolean) {
    const { stack, clock, notes } = this;
    stack.savedAt = clock.now();
    const { length } = notes.begun;
    const { steps } = await stack.up(program, { serial: true });
    const begun = notes.begun
      .slice(length)
      .filter(({ urn }) => isHere && steps[urn.split("::").at(-1) ?? ""] === "created");
    for (const note of begun) notes.leave(note);
    for (const [name, inputs] of Object.entries(program)) {
      if (steps[name] !== "created") continue;
      stack.state.delete(name);
      stack.pending.set(name, inputs);
    }
    return steps;
  }

  private today() {
    const { subject, adoptMatching, resends } = this.settings;
    const { emulator, clock } = this;
    const env = {
      ...(adoptMatching && { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" }),
      ...(resends && resending(clock.now(), ...names.map((name) => urnIn(cachingInputs(name, tableOf[name]))))),
    };
    const config = configFor({ ...emulator, token: tokens[subject] }, { timeoutSeconds: 2, jobOperations: this.mode });
    // How much of a run's own work is in the state when a process reads it depends on the speed of the engine.
    const exportStack = () => Promise.resolve(this.stack.export(this.stack.known));
    return { config, clock, env, exportStack, createNotes: this.notes };
  }

  private behind({ kind, table, intervalValue }: ProgramCommand["behind"][number]): void {
    const job = this.emulator.jobs.find(({ params }) => params["sourceTable"] === table);
    if (kind === "add" && job === undefined) this.emulator.addJob(cachingBody(table, { intervalValue }));
    if (kind === "change" && job !== undefined) this.emulator.changeJob(job.id, { intervalValue });
    if (kind === "remove" && job !== undefined) this.emulator.removeJob(job.id);
  }

  private programOf(program: ProgramCommand["program"]): Program {
    return Object.fromEntries(
      names.flatMap((name) => {
        const declared = program[name];
        return declared === undefined ? [] : [[name, this.inputsOf(name, declared)]];
      }),
    );
  }

  private inputsOf(name: Name, declared: NonNullable<ProgramCommand["program"][Name]>): Declaration {
    const { intervalValue, table = tableOf[name], adopts, changedAtService } = declared;
    const values = { intervalValue, ...(changedAtService !== undefined && { changedAtService }) };
    if (adopts === undefined) return cachingInputs(name, table, values);
    const job: EmulatedJob | undefined = this.emulator.jobs[adopts.place];
    const more = { ...values, existingJobId: job?.id ?? "none-such" };
    if (!adopts.asItIs || job === undefined) return cachingInputs(name, table, more);
    return cachingInputs(name, String(job.params["sourceTable"]), { ...more, intervalValue: job.intervalValue });
  }
}
