import type { Command, Outcome, Taken } from "./command.js";
import type { EngineRun } from "./engine.js";
import { canonicalJson } from "../../../provider/src/json.js";
import type { Machine } from "./machine.js";
import type { Actor, CommandEvents } from "./timeline.js";
import type { Sent } from "./network.js";
import { secretQuery } from "./programs.js";
import type { Scene } from "./scene.js";
import type { Job, Service } from "./service.js";
import { exported, isUnconfirmed, jobKey, jobKeyIn, type Saved } from "./state.js";
import { plainId } from "./forms.js";
import { names, settledMs, sourceOf, type Mode, type Name, type Source } from "./words.js";

export const namesOf = (source: Source | undefined): Name[] => names.filter((name) => sourceOf[name] === source);

/** Somebody who watches the world, and says what must never be. */
export class Judge {
  readonly violations: string[] = [];
  /** The jobs that the user named, or let a run adopt. */
  readonly named = new Set<string>();
  /** The jobs that the user knows to be nobody's, such as that of a resource that the user took out of the state. */
  readonly abandoned = new Set<string>();
  /** The jobs outside the state of which a command has told its user. */
  private readonly told = new Set<string>();
  /** The jobs that two declared resources name, as a command has said: docs/adopt.md. */
  private readonly shared = new Set<string>();
  /** Every job that there ever was, by its place and its id. */
  private readonly known = new Map<string, Job>();
  private readonly removedAt = new Map<string, number>();
  /** Whether two runs wrote the state at once: the later one wins, whatever the providers do. */
  isTorn = false;
  /** Whether any process has been killed so far, or a lock cancelled: after that, no run can know of one that lives. */
  hasKilled = false;
  /** When a process was killed while its engine went on. */
  readonly killedAlone = new Map<Actor, number>();
  /** The commands whose engine was killed and had written nothing. */
  readonly killedWithoutState = new Set<CommandEvents>();
  /** Whether the user let runs adopt jobs by their source. */
  adoptsMatching = false;

  constructor(private readonly scene: Scene) {
    scene.network.onProcessed = (request) => {
      this.watch();
      if (request.call === "create") this.seeCreate(request);
      if (request.call === "update" || request.call === "delete") this.seeChange(request);
      const isDocumented = request.call === "create" || request.call === "sources";
      if (this.modeOf(request) === "create" && !isDocumented)
        this.violate(`${request.method} ${request.path} was sent`);
    };
  }

  /** The mode of each command that has begun: what one sends may arrive when the settings have another. */
  readonly modes = new Map<CommandEvents, Mode>();

  private readonly modeOf = ({ by }: Sent) => this.modes.get(by.command) ?? this.scene.mode();

  /** Call it after somebody changed something at the service. */
  watch(): void {
    const { services, now } = this.scene;
    for (const { jobs } of services)
      for (const job of jobs) if (!this.known.has(keyOf(job))) this.known.set(keyOf(job), job);
    for (const [key, job] of this.known)
      if (!this.removedAt.has(key) && !this.isThere(job)) this.removedAt.set(key, now());
  }

  private readonly isThere = ({ service, id }: Job): boolean => service.find(id) !== undefined;

  private isKeyThere(key: string | undefined): boolean {
    const job = key === undefined ? undefined : this.known.get(key);
    return job !== undefined && this.isThere(job);
  }

  /** The jobs that this stack's own creates made for a source. */
  ownJobs(source: Source | undefined): Job[] {
    return this.scene.services.flatMap(({ jobs }) =>
      jobs.filter(
        (job) =>
          job.madeBy !== undefined &&
          !this.left.has(job.madeBy) &&
          !this.abandoned.has(keyOf(job)) &&
          this.scene.texts.sourceIn(job.body) === source,
      ),
    );
  }

  /** The user names a job, and so knows it. */
  name(job: Job): void {
    this.named.add(plainId(job.id));
    this.abandoned.delete(keyOf(job));
    this.told.add(keyOf(job));
  }

  /** The user knows that a job of an unconfirmed create may run on, and leaves it to itself. */
  leave(source: Source): void {
    const { network, stack, texts } = this.scene;
    const held = new Set([...stack.file.resources.values()].map(jobKeyIn));
    for (const request of network.sent) {
      if (request.call !== "create" || texts.sourceIn(request.body ?? {}) !== source) continue;
      const isHeld = this.ownJobs(source).some((job) => job.madeBy === request && held.has(keyOf(job)));
      if (!isHeld) this.left.add(request);
    }
  }

  private readonly left = new Set<Sent>();

  violate(text: string): void {
    this.violations.push(text);
  }

  private seeCreate(request: Sent): void {
    const { texts, stack } = this.scene;
    const mode = this.modeOf(request);
    // Its user knows that it may still make a job.
    if (this.left.has(request)) return;
    const source = texts.sourceIn(request.body ?? {});
    const { latestMs } = request.service;
    // Some list that a run may still use lacks it.
    const isUnlisted = (at: number) => at >= request.at - latestMs - 12_000;
    // As far as a run knows, a denied create made no job. Before it repeats the same one, it looks at the newest list.
    const isRepeated = (by: Sent) => canonicalJson(by.body) === canonicalJson(request.body);
    // Of a killed run without checkpoints, only the list shows the job.
    const isUntold = ({ isAnswered, by }: Sent) => isAnswered && this.killedWithoutState.has(by.command);
    const isUnknown = (by: Sent, at: number) =>
      (mode === "create" && isDenied(by)) ||
      (isUnlisted(at) && (latestMs > 0 ? isDenied(by) || isUntold(by) : isDenied(by) && !isRepeated(by)));
    for (const job of this.ownJobs(source))
      if (job.madeBy !== undefined && isUnknown(job.madeBy, job.at)) this.abandoned.add(keyOf(job));
    const mayBeUnknown = (by: Sent) =>
      this.isElsewhere(by, source, request.by.machine) ||
      this.isUntold(by, source) ||
      (this.isLostReply(by) && !this.canSee(source)) ||
      // Whoever breaks the lock of a run that lives has two runs of one stack.
      (this.isTorn && (!this.canSee(source) || isUnlisted(by.at)));
    // A request may arrive when its command has been killed and another one runs.
    const then = this.programs.filter(({ at }) => at <= request.at).at(-1);
    // Of a query without a name, a replacement may delete the old job last.
    const replaced =
      then?.deletesLast === true && source === "N" ? [...stack.file.resources.values()].map(jobKeyIn) : [];
    const isOther = (job: Job) => job.id !== request.job && job.madeBy !== request && !replaced.includes(keyOf(job));
    const before = this.ownJobs(source).filter((job) => job.service === request.service && isOther(job));
    const own = before.filter(({ madeBy }) => madeBy === undefined || !mayBeUnknown(madeBy));
    // The record of the later create ends the note of the earlier one.
    for (const job of before) if (!own.includes(job)) this.abandoned.add(keyOf(job));
    const made = `${source ?? "?"}: job ${request.job ?? "?"}`;
    // In mode `create`, each of two resources may have a job of one source (docs/limits.md), and always without a name.
    const { declared } = then ?? this;
    const wanted = namesOf(source).filter((name) => declared.has(name) || stack.file.resources.has(name));
    if (own.length > (mode === "all" && source !== "N" ? 0 : Math.max(0, wanted.length - 1)))
      this.violate(`${made} is a second one, beside ${idsOf(own)}`);
    const others = request.service.jobs.filter(
      ({ id, givenAt, madeBy, body }) =>
        madeBy === undefined && id !== request.job && texts.sourceIn(body) === source && !isUnlisted(givenAt),
    );
    if (mode === "all" && source !== "N" && source !== undefined && others.length > 0)
      this.violate(`${made} was created, though somebody's ${idsOf(others)} had been there for long`);
    // A gateway that sends a create twice makes jobs that nobody can tell from one another (docs/limits.md).
    const isHidden = request.mishap === "twice" && (source === "N" || mode === "create");
    for (const job of request.service.jobs)
      if (job.madeBy === request && (job.id !== request.job || isHidden)) this.abandoned.add(keyOf(job));
  }

  /** Whether a killed engine was told of a create, and its state, without checkpoints, has nothing of it (docs/limits.md). */
  private isUntold({ by, isAnswered, service }: Sent, source: Source | undefined): boolean {
    if (!this.killedWithoutState.has(by.command)) return false;
    return this.hasMoved(source, service) || (isAnswered && !this.canSee(source, service));
  }

  /** Whether a process was killed in the moment after a reply, when its engine does not have the outcome yet. */
  private readonly isLostReply = ({ by, at: sentAt }: Sent): boolean => {
    const killedAt = this.killedAlone.get(by) ?? -Infinity;
    return this.scene.network.sent.some(
      ({ by: other, answeredAt = Infinity }) =>
        other === by && answeredAt >= sentAt && killedAt >= answeredAt && killedAt - answeredAt <= 30,
    );
  };

  /**
   * If only a provider's process was killed, or its engine had written nothing, only a note on its machine shows its creates
   * (docs/limits.md).
   */
  private isElsewhere({ by, at, service }: Sent, source: Source | undefined, machine: Machine | undefined): boolean {
    const isOnlyNoted = this.killedAlone.has(by) || this.killedWithoutState.has(by.command);
    // What a run on another machine has recorded since ends the note.
    const since = this.programs.filter((program) => program.at >= at).map((program) => program.machine);
    return isOnlyNoted && [...since, machine].some((one) => one !== by.machine) && !this.canSee(source, service);
  }

  /**
   * Whether the list of jobs shows a run who has the source. A query without a name has none, and another service's list
   * shows nothing of a job. `sentTo`: where its create was sent. Default: where the newest create of the source was sent.
   */
  private canSee(source: Source | undefined, sentTo?: Service): boolean {
    const hasMoved = sentTo !== undefined && this.hasMoved(source, sentTo);
    return this.scene.mode() === "all" && source !== "N" && !hasMoved;
  }

  /** Whether a later create of the source was sent to another service. */
  private hasMoved(source: Source | undefined, sentTo: Service): boolean {
    const isOf = ({ call, body }: Sent) => call === "create" && this.scene.texts.sourceIn(body ?? {}) === source;
    return this.scene.network.sent.filter(isOf).at(-1)?.service !== sentTo;
  }

  /**
   * The jobs that neither the state nor the user knows, though something shows them here. The engine itself warns of a
   * pending create. Without checkpoints, nothing leads to a query's note under its other name (docs/limits.md).
   */
  forgotten(source: Source, machine: Machine | undefined): Job[] {
    const { resources, pending } = this.scene.stack.file;
    const held = new Set([...resources.values()].map(jobKeyIn));
    const isOf = (name: string) => namesOf(source).some((one) => one === name);
    const isPending = pending.some(({ name, type }) => type === "creating" && isOf(name));
    const isHidden = (by: Sent) =>
      (isPending && !by.isAnswered) ||
      (source === "N" && this.killedWithoutState.has(by.by.command)) ||
      this.isUntold(by, source) ||
      this.isElsewhere(by, source, machine) ||
      isDenied(by) ||
      this.isLostReply(by);
    return this.ownJobs(source).filter(
      (job) => !held.has(keyOf(job)) && !(job.madeBy !== undefined && isHidden(job.madeBy)),
    );
  }

  /** The resources that the newest program declares. */
  declared: ReadonlySet<string> = new Set();
  private readonly programs: (Pick<Command, "machine" | "deletesLast"> & Pick<Judge, "declared"> & { at: number })[] =
    [];

  private seeChange({ job, call, service }: Sent): void {
    const known = job === undefined ? undefined : this.known.get(jobKey(service.baseUrl, job));
    if (known === undefined || known.madeBy !== undefined) return;
    if (!this.isAdopted(known) && !this.isTwin(known)) this.violate(`${String(call)} of somebody's job ${known.id}`);
  }

  private isAdopted({ id }: Job): boolean {
    return this.named.has(plainId(id)) || this.adoptsMatching;
  }

  /** Whether a job is made as one of the stack's creates would have, and while it might have: nobody can tell them apart. */
  private isTwin({ service, body, at }: Job): boolean {
    const { network, texts } = this.scene;
    const source = texts.sourceIn(body);
    return network.sent.some(
      (sent) =>
        sent.call === "create" &&
        sent.service === service &&
        texts.sourceIn(sent.body ?? {}) === source &&
        at >= sent.at - datesDifferMs &&
        at <= sent.at + settledMs + datesDifferMs,
    );
  }

  /** A command has ended. `isAlone`: nothing else ran beside it. */
  ended(run: EngineRun, outcome: Outcome, isAlone: boolean): void {
    this.watch();
    const text = [...outcome.lines, ...outcome.taken.map(({ message = "" }) => message)].join("\n");
    this.readOutput(text, run);
    this.readState(run, outcome, text, isAlone);
    if (outcome.end === "ended") for (const taken of outcome.taken) this.hear(taken, run, isAlone, outcome.lines);
  }

  private readOutput(text: string, { command }: EngineRun): void {
    const { stack, machines, services, hasSecrets } = this.scene;
    if (!this.hasKilled && saysKilled.test(text))
      this.violate(`${command.kind} says that a run was killed, and none was`);
    const files = machines.flatMap((machine) => [...machine.files.values()].map((file) => file.text));
    const everywhere = [text, exported(stack.file), ...files].join("\n");
    for (const token of services.flatMap(({ tokens, opaqueToken }) => [...tokens, opaqueToken]))
      if (everywhere.includes(token)) this.violate("the token is shown or saved");
    if (hasSecrets && [text, ...files].join("\n").includes(secretQuery)) this.violate("a secret is shown or saved");
  }

  private readState({ command }: EngineRun, outcome: Outcome, text: string, isAlone: boolean): void {
    const { stack } = this.scene;
    const mode = this.scene.mode();
    const { resources, pending } = stack.file;
    const isNamedIn = (source: Source) => namesOf(source).some((name) => text.includes(`"${name}"`));
    if (!isAlone) {
      const kept = new Set([...resources.values()].map(jobKeyIn));
      for (const source of new Set(Object.values(sourceOf).filter(isNamedIn)))
        for (const job of this.ownJobs(source)) if (!kept.has(keyOf(job))) this.told.add(keyOf(job));
      return;
    }
    const held = new Map<string, string>();
    for (const [, id = ""] of text.matchAll(/already has job (\S+), and two resources must not share a job/g))
      this.shared.add(plainId(id));
    for (const [name, saved] of resources) {
      const key = jobKeyIn(saved);
      if (key === undefined) continue;
      const job = this.known.get(key);
      if (job === undefined && !this.isNamed(key)) this.violate(`${name} has job ${key}, which never existed`);
      if (job !== undefined && job.madeBy === undefined && !this.isAdopted(job) && !this.isTwin(job))
        this.violate(`${name} has job ${key}, which somebody else made`);
      const other = held.get(key);
      // A run that fails has not let go of what its program no longer declares, and a refresh or a preview never does.
      const letsGo = !outcome.failed && command.kind !== "refresh" && command.kind !== "preview";
      const stays = letsGo || [name, other].every((one) => this.declared.has(one ?? ""));
      if (other !== undefined && stays && mode === "all" && !this.shared.has(key.split(" ")[1] ?? ""))
        this.violate(`${name} and ${other} have job ${key}`);
      held.set(key, name);
    }
    const notes = this.scene.machines.flatMap(({ files }) => [...files.values()].map((file) => file.text)).join("\n");
    for (const source of new Set(Object.values(sourceOf))) {
      const known = [...resources.values()].filter((saved) => this.isOf(saved, source));
      const isTraced =
        known.some(isUnconfirmed) ||
        pending.some(({ name }) => namesOf(source).some((one) => one === name)) ||
        namesOf(source).some((name) => notes.includes(`::${name}"`));
      // A state without checkpoints has nothing of a killed run, and no run asks for what is not declared any more. A
      // denied create made no job, as far as a run knows.
      const isUnrecorded = ({ madeBy }: Job) =>
        madeBy !== undefined &&
        (isDenied(madeBy) || this.killedWithoutState.has(madeBy.by.command) || this.isLostReply(madeBy));
      const lost = this.ownJobs(source).filter(
        (job) => !held.has(keyOf(job)) && !this.told.has(keyOf(job)) && !isUnrecorded(job),
      );
      if (lost.length === 0 || this.isTorn) continue;
      // What only another machine has noted, a destroy does not know. Without a resource in the state, it asks no provider.
      const knowable = lost.filter(
        ({ madeBy }) => !(madeBy && this.killedAlone.has(madeBy.by) && madeBy.by.machine !== command.machine),
      );
      if (isNamedIn(source)) for (const job of lost) this.told.add(keyOf(job));
      else if (!isTraced) this.violate(`${idsOf(lost)} of ${source} is in no state, and nothing tells of it`);
      else if (command.kind === "destroy" && !outcome.failed && this.asksProviders(command) && knowable.length > 0)
        this.violate(`destroy ends well and says nothing of ${idsOf(knowable)} of ${source}`);
    }
  }

  private readonly asksProviders = ({ targets }: Command) =>
    [...this.before.keys()].some((name) => targets?.some((one) => one === name) ?? true);

  private isOf({ outputs }: Saved, source: Source): boolean {
    const { params } = outputs;
    return (
      this.scene.texts.sourceIn({ params: typeof params === "object" && params !== null ? { ...params } : {} }) ===
      source
    );
  }

  /** What a command claims to have done. */
  private hear(
    { name, step, began, isPreview }: Taken,
    { command }: EngineRun,
    isAlone: boolean,
    lines: readonly string[],
  ): void {
    if (isPreview || !isAlone) return;
    const { resources } = this.scene.stack.file;
    const saved = resources.get(name);
    const key = saved && jobKeyIn(saved);
    const was = this.before.get(name);
    if (step === "created" || step === "updated") {
      // After so many repeats, a hook gets a success, and the run fails in another way.
      if (saved !== undefined && isUnconfirmed(saved) && command.hookRepeats > 0) return;
      const removed = key === undefined ? undefined : this.removedAt.get(key);
      // An update that only records what its user says does not see that somebody deleted the job.
      const saysSo = lines.some(
        (line) =>
          line.includes(`"${name}": this update sends nothing`) || line.includes("Further updates of this kind"),
      );
      const isUnseen = step === "updated" && (this.scene.mode() === "create" || saysSo);
      const isInTime = removed === undefined || removed >= began || isUnseen;
      const existed = key !== undefined && this.known.has(key) && isInTime;
      if (!existed && !this.isNamed(key)) this.violate(`${name} is ${step}, but there is no such job`);
    }
    if ((step !== "gone" && step !== "deleted") || this.scene.mode() === "create") return;
    const isHeld = [...resources.values()].some((one) => jobKeyIn(one) === was);
    if (this.isKeyThere(was) && !isHeld) this.violate(`${name} is ${step}, but ${was ?? ""} exists`);
  }

  private isNamed(key: string | undefined): boolean {
    return key !== undefined && this.named.has(key.split(" ")[1] ?? "");
  }

  /** The jobs of the state when the newest command began, by resource. */
  private before = new Map<string, string | undefined>();

  begins({ program, machine, deletesLast }: Command): void {
    this.declared = new Set(Object.keys(program));
    this.programs.push({ at: this.scene.now(), declared: this.declared, machine, deletesLast });
    this.before = new Map([...this.scene.stack.file.resources].map(([name, saved]) => [name, jobKeyIn(saved)]));
  }
}

/** By how much the date of a job may seem to differ from that of its create (docs/limits.md). */
const datesDifferMs = 15_000;

/** What no run says of one that may still be under way. */
const saysKilled = /(?<!under way, or )a run was killed in|(?<!if )a killed run/;

/** Whether the reply said that no job was made, which is assumed to be true (docs/limits.md). */
const isDenied = ({ status = 0, mishap }: Sent): boolean =>
  mishap === "twice" && status >= 400 && status < 500 && status !== 408 && status !== 499;

export const keyOf = ({ service, id }: Job): string => jobKey(service.baseUrl, id);

export const idsOf = (jobs: readonly Job[]): string => jobs.map(({ id }) => `job ${id}`).join(", ");
