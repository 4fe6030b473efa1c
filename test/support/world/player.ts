import type { Command, Outcome, Step } from "./command.js";
import type { EngineRun } from "./engine.js";
import { isPlugin } from "../testedHost.js";
import { programOf } from "./programs.js";
import { ready, type Next } from "./next.js";
import { isUnconfirmed, jobKeyIn } from "./state.js";
import { renameStack, taint } from "./stateCommands.js";
import { stateTold } from "./story.js";
import { inSurroundings } from "./surroundings.js";
import { Stuck } from "./timeline.js";
import { User } from "./user.js";
import { World } from "./world.js";
import { idsOf, keyOf, namesOf } from "./judges.js";
import {
  afterOnce,
  isName,
  names,
  sourceOf,
  unmoved,
  type Act,
  type Declared,
  type Mode,
  type Sequence,
  type StepWords,
  type Stranger,
} from "./words.js";

/** What a sequence showed. */
export interface Played {
  readonly violations: readonly string[];
  /** Every request and every result, as one text. */
  readonly trace: string;
  /** For a person: only if it was asked for. */
  readonly story: readonly string[];
  /** The steps that occurred. */
  readonly steps: ReadonlySet<Step>;
}

const maxRuns = 12;

/** How long a person takes to read what a command said, and to look at the service: no replica is as late as that. */
const readMs = 15_000;

/** Plays one sequence. The same sequence is played in the same way, request by request, each time. */
export async function playSequence(mode: Mode, sequence: Sequence, isTold = false): Promise<Played> {
  const world = new World(mode, sequence, isTold);
  const player = new Player(world);
  const [machine] = world.machines;
  if (machine === undefined) throw new Error("A world needs a machine.");
  await inSurroundings(world.timeline, world.noise, machine, () => player.play());
  const requests = world.network.sent.map(({ at, method, path, status, job }) => [at, method, path, status, job]);
  const trace = JSON.stringify([requests, player.results]);
  return { violations: world.judge.violations, trace, story: world.story.lines(), steps: player.steps };
}

class Player {
  readonly steps = new Set<Step>();
  readonly results: unknown[] = [];
  private readonly user: User;

  constructor(private readonly world: World) {
    this.user = new User(world);
  }

  async play(): Promise<void> {
    const { world } = this;
    const { judge, sequence, network, timeline } = world;
    try {
      for (const [n, step] of sequence.steps.entries()) {
        if (judge.violations.length > 0) return;
        if (n === sequence.setting.renamesBefore) world.rename();
        if (n === sequence.setting.renamesStackBefore) renameStack(world);
        if (n === sequence.setting.switchesModeBefore) world.switchMode();
        world.isOpaque = sequence.setting.opaqueIn.includes(n);
        await this.playStep(step);
      }
      world.isOpaque = false;
      network.repair();
      if (sequence.steps.length <= (sequence.setting.switchesModeBefore ?? 0)) world.switchMode();
      // A change that nobody saw end may still arrive, and nothing can say until when.
      const isChanging = network.sent.some(({ call, isAnswered }) => !isAnswered && call !== "create");
      await timeline.until(timeline.pause(isChanging ? 50_000 : 10_000, undefined), "the pause");
      if (judge.violations.length === 0) await this.converge(sequence.last);
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      world.tell(error.message);
      judge.violate(error.message);
    }
  }

  private async playStep(step: StepWords): Promise<void> {
    const { world, user } = this;
    const { timeline, network } = world;
    for (const one of step.before) this.strange(one);
    await timeline.until(timeline.pause(step.afterMs, undefined), "the pause");
    network.inject(step.faults);
    if (step.faults.length > 0) world.tell(`network: ${JSON.stringify(step.faults)}`);
    for (const name of step.moves.taints) taint(world, name);
    const command = this.commandOf(step);
    const outcome = await this.run(command, step.during);
    network.repair();
    if (!step.follows || !outcome.failed) return;
    const next = await timeline.until(user.read(outcome, step.declared), "the user");
    user.notUnderstood.length = 0;
    if (next !== undefined) await this.carryOut(next, step);
  }

  /** Runs what the user types next. */
  private async carryOut(next: Next, { moves, ...words }: StepWords): Promise<Outcome> {
    const { timeline } = this.world;
    const isLeftOut = ([name]: readonly [string, unknown]) => isName(name) && words.declared[name] === undefined;
    const more = Object.fromEntries(Object.entries(next.declares ?? {}).filter(isLeftOut));
    const out = Object.fromEntries((next.leavesOut ?? []).map((name) => [name, undefined]));
    const declared = { ...words.declared, ...more, ...out };
    const step = { ...words, declared, moves: afterOnce(moves) };
    await timeline.until(timeline.pause(next.waitMs, undefined), "the pause");
    if (next.refresh) await this.run({ ...this.commandOf(step), kind: "refresh" });
    return this.run({ ...this.commandOf({ ...step, kind: "up" }), ...next, refresh: false });
  }

  /** Runs a command until it and all that runs beside it have ended. */
  private async run(command: Command, during: StepWords["during"] = []): Promise<Outcome> {
    const { world } = this;
    let count = 0;
    let left = during;
    const beside: Promise<unknown>[] = [];
    const run: EngineRun = world.start(command, {
      beforeEvent: () => {
        count += 1;
        const due = left.filter(({ at }) =>
          typeof at === "number" ? at === count : world.network.writtenBy(run.engine.command) >= at.written,
        );
        left = left.filter((one) => !due.includes(one));
        for (const { act } of due) this.happen(act, run, beside);
        return due.length > 0;
      },
    });
    const outcome = await world.timeline.until(run.outcome, `pulumi ${command.kind}`);
    this.ended(run, outcome, beside.length === 0);
    this.user.heed(outcome, this.declared);
    for (const one of beside) await world.timeline.until(one, "what ran beside it");
    return outcome;
  }

  private ended(run: EngineRun, outcome: Outcome, isAlone: boolean): void {
    const { world } = this;
    world.running.delete(run);
    const steps = outcome.taken.map(({ name, step, message, isPreview }) => [name, step, message, isPreview]);
    this.results.push([run.command.kind, outcome.end, outcome.failed, steps, outcome.lines]);
    for (const { step } of outcome.taken) this.steps.add(step);
    if (world.story.isTold) this.tellOutcome(run, outcome);
    world.judge.ended(run, outcome, isAlone);
  }

  private tellOutcome({ command }: EngineRun, outcome: Outcome): void {
    const { world } = this;
    for (const { name, step, message, isPreview } of outcome.taken)
      world.tell(
        `  ${isPreview ? "preview: " : ""}${name} ${step}${message === undefined ? "" : `: ${shortened(message)}`}`,
      );
    for (const line of outcome.lines) world.tell(`  says: ${shortened(line)}`);
    world.tell(
      `  pulumi ${command.kind} ${outcome.end}, ${outcome.failed ? "failed" : "well"}; ${stateTold(world.stack.file)}`,
    );
  }

  /** Something happens during a command. */
  private happen(act: Act, run: EngineRun, beside: Promise<unknown>[]): void {
    const { world } = this;
    const { judge } = world;
    if (!run.engine.isAlive) return;
    world.tell(`meanwhile: ${JSON.stringify(act)}`);
    switch (act.kind) {
      case "stranger":
        this.strange(act.does);
        return;
      case "kill":
        judge.hasKilled = true;
        if (act.what === "provider")
          for (const one of run.processes) if (one.isAlive) judge.killedAlone.set(one, world.timeline.now);
        if (act.what !== "provider" && run.command.checkpoints === "end")
          judge.killedWithoutState.add(run.engine.command);
        run.kill(act.what);
        return;
      case "cancel":
        run.cancel();
        if (act.twice) {
          judge.hasKilled = true;
          if (run.command.checkpoints === "end") judge.killedWithoutState.add(run.engine.command);
          run.kill("both", true);
        }
        return;
      case "clock":
        run.command.machine.aheadMs += act.byMs;
        return;
      case "cancelLock":
        judge.hasKilled = true;
        world.stack.lock = undefined;
        return;
      case "preview":
        beside.push(this.previewBeside(run, act.follows));
    }
  }

  /** A preview of the same stack and program, and what its reader does while the other command still runs. */
  private async previewBeside({ command }: EngineRun, follows: boolean): Promise<void> {
    const { world, user } = this;
    const beside = world.start({ ...command, kind: "preview" });
    const outcome = await beside.outcome;
    this.ended(beside, outcome, false);
    if (!follows || !outcome.failed) return;
    const declared = this.declared;
    const next = await user.read(outcome, declared);
    user.notUnderstood.length = 0;
    if (next === undefined || Object.keys(next.env).length === 0) return;
    if (world.stack.lock !== undefined) {
      world.tell("user: pulumi cancel --yes");
      world.judge.hasKilled = true;
    }
    world.stack.lock = undefined;
    const again = world.start({ ...command, kind: "up", env: next.env });
    this.ended(again, await again.outcome, false);
  }

  private declared: Declared = {};

  private commandOf(step: StepWords): Command {
    const { world, user } = this;
    const { setting } = world.sequence;
    const { machines } = world;
    const machine = machines[step.machine % machines.length] ?? machines[0];
    if (machine === undefined) throw new Error("A world needs a machine.");
    this.declared = step.declared;
    user.drop(step.kind === "destroy" ? {} : step.declared);
    const { providers, refresh, replaceOnChanges, renamed, targets, replaces } = step.moves;
    const hosted = this.hosted({ ...providers, ...user.putBack });
    // Where the job of a resource is that was taken out, the user still knows.
    const left = Object.entries(user.providers).filter(([name]) => isName(name) && step.declared[name] === undefined);
    user.providers = { ...Object.fromEntries(left), ...hosted };
    const program = programOf(step.declared, world.texts, setting, world.firstStart, user.edits);
    return {
      ...{ kind: step.kind, program, machine, env: {}, skipPreview: step.skipPreview },
      ...{ continueOnError: step.continueOnError, refresh: refresh && step.kind === "up", clearPending: false },
      ...{ targets, replaceOnChanges, replaces, providers: hosted, deletesLast: setting.deletesLast },
      aliases: { ...(renamed && this.renamed(step.declared)), ...user.aliases },
      ...{ hookRepeats: setting.hookRepeats, checkpoints: setting.checkpoints, exportMs: setting.exportMs },
    };
  }

  /**
   * The classes have no providers of their own, and compare no accounts until they send something. In mode `create`, this user confirms a change and an address at once, and
   * loses sight of the job at the other one. A killed run that has saved nothing leaves no trace of a job in another account.
   */
  private hosted(providers: Command["providers"]): Command["providers"] {
    const { mode, sequence } = this.world;
    // A user cannot tell a new subject of an account from another account, and would confirm both at once.
    const { renamesBefore, switchesModeBefore } = sequence.setting;
    const isTold = mode === "all" && renamesBefore === undefined && switchesModeBefore === undefined;
    const isPossible: Readonly<Record<string, boolean>> = {
      ...{ otherHost: true, p2: isPlugin, elsewhere: isPlugin && isTold },
      otherAccount: isPlugin && isTold && sequence.setting.checkpoints !== "end",
    };
    const { stack } = this.world;
    const isOfOther = (name: string) => {
      const saved = stack.file.resources.get(name);
      return saved !== undefined && this.world.providerOf({ ...saved, provider: "default" }) !== undefined;
    };
    // As in words.ts, both resources for one table.
    const alike = (name: string) => names.filter((one) => isName(name) && sourceOf[one] === sourceOf[name]);
    return Object.fromEntries(
      Object.entries(providers).filter(
        ([name, to = ""]) => isPossible[to] === true && !(to === "otherHost" && alike(name).some(isOfOther)),
      ),
    );
  }

  /** An alias for the one of the two resources of one table that is declared, if the state has the other one. */
  private renamed(declared: Declared): Readonly<Partial<Record<string, string>>> {
    const [from, to] = declared.a === undefined ? (["a", "again"] as const) : (["again", "a"] as const);
    return declared[from] === undefined && declared[to] !== undefined ? { [to]: from } : {};
  }

  private strange({ kind, source, intervalValue }: Stranger): void {
    const { world } = this;
    const [service] = world.services;
    if (service === undefined) return;
    const job = service.jobs.find(({ body }) => world.texts.sourceIn(body) === source);
    if ((kind === "add" || kind === "copy") && job === undefined) {
      const declared = namesOf(source).flatMap((name) => this.declared[name] ?? []);
      const [interval = intervalValue] = kind === "copy" ? declared : [];
      const added = service.add(world.texts.bodyFor(source, interval), undefined);
      world.tell(`somebody: makes ${idsOf([added])} for ${source}`);
    }
    const body = world.texts.bodyFor(source, intervalValue);
    const other = service.jobs.find((one) => one.madeBy === undefined && one.body["jobType"] === body["jobType"]);
    if (kind === "move" && job === undefined && other !== undefined) {
      service.change(other.id, body);
      world.tell(`somebody: gives ${idsOf([other])} the source ${source}`);
    }
    if (kind === "change" && job !== undefined) {
      service.change(job.id, { ...job.body, intervalValue });
      world.tell(`somebody: changes ${idsOf([job])} of ${source} to every ${intervalValue}`);
    }
    if (kind === "remove" && job !== undefined) {
      service.remove(job.id);
      world.tell(`somebody: deletes ${idsOf([job])} of ${source}`);
    }
    world.judge.watch();
  }

  /** Once nothing goes wrong any more, doing what the messages say leads to what is declared. */
  private async converge(declared: Declared): Promise<void> {
    const { world, user } = this;
    const { judge, timeline } = world;
    world.tell("From here on, nothing goes wrong.");
    const step: StepWords = {
      ...{ kind: "up", declared, machine: 0, continueOnError: true, before: [], during: [] },
      skipPreview: world.noise.next() < 0.5,
      ...{ moves: unmoved, faults: [] },
      ...{ afterMs: 0, follows: true },
    };
    world.stack.lock = undefined;
    // What somebody deleted meanwhile, only a refresh sees.
    const refresh = () => this.run({ ...this.commandOf(step), kind: "refresh" });
    let refreshed = await refresh();
    let outcome: Outcome | undefined;
    let next =
      (refreshed.failed ? await timeline.until(user.read(refreshed, declared), "the user") : undefined) ?? ready;
    user.notUnderstood.length = 0;
    for (let runs = 0; runs < maxRuns && (refreshed.failed || outcome?.failed !== false); runs += 1) {
      outcome = await this.carryOut(next, step);
      const isWhole = next.leavesOut === undefined;
      if (judge.violations.length > 0) return;
      const then = await timeline.until(user.read(outcome, declared), "the user");
      const [unclear] = user.notUnderstood;
      if (unclear !== undefined) {
        judge.violate(`the user does not know what to do: ${unclear}`);
        return;
      }
      // The product says so itself: nothing follows for what is declared.
      if (then?.isStuck === true) return;
      next = { ...(then ?? next), waitMs: Math.max(then?.waitMs ?? 0, readMs) };
      if (!outcome.failed && !isWhole) outcome = undefined;
      if (outcome === undefined || outcome.failed || !refreshed.failed) continue;
      refreshed = await refresh();
      outcome = undefined;
      next = (await timeline.until(user.read(refreshed, declared), "the user")) ?? ready;
      user.notUnderstood.length = 0;
    }
    if (outcome?.failed !== false) {
      const last = outcome?.taken.flatMap(({ message }) => message ?? []).join("\n") ?? "";
      judge.violate(`after ${maxRuns} runs that did as they were told, it still fails: ${last}`);
      return;
    }
    if (user.clearsPending(declared)) await this.run({ ...this.commandOf(step), kind: "refresh", clearPending: true });
    this.judgeEnd(declared);
  }

  /** The service has exactly the declared jobs, and the state knows each. */
  private judgeEnd(declared: Declared): void {
    const { stack, judge, texts, services, machines } = this.world;
    const jobs = services.flatMap((service) => service.jobs);
    for (const name of names) {
      if (declared[name] === undefined) continue;
      const saved = stack.file.resources.get(name);
      const key = saved && jobKeyIn(saved);
      const job = jobs.find((one) => keyOf(one) === key);
      const source = sourceOf[name];
      if (saved === undefined || isUnconfirmed(saved))
        judge.violate(`at last, the state does not know the job of ${name}`);
      else if (job === undefined) {
        // Mode `create` cannot see that somebody deleted the job.
        if (this.world.mode === "all") judge.violate(`at last, the job of ${name} does not exist`);
      } else if (this.world.mode === "create" && job.givenAt > job.at) {
        // Nor that somebody gave it another source.
      } else if (texts.sourceIn(job.body) !== source) judge.violate(`at last, ${name} has the job of another source`);
      const unheld = judge.forgotten(source, machines[0]);
      if (unheld.length > 0) judge.violate(`at last, ${source} also has ${idsOf(unheld)}`);
    }
  }
}

/** The beginning of a message: the rest is advice, and the user's next steps show it. */
const shortened = (text: string): string => {
  const [first = ""] = text.split("\n");
  return first.length > 260 || text.includes("\n") ? `${first.slice(0, 260)} …` : first;
};
