import type { Declaration } from "../../../provider/src/jobs/index.js";
import type { KeptJob } from "../../../provider/src/lifecycle/inventory/memory.js";
import { unconfirmedByHook } from "../../../provider/src/lifecycle/texts/shared.js";
import type { Result } from "../all/runProvider.js";
import type { Command, EngineWorld, Outcome, Stack, Step, Taken } from "./command.js";
import { RunState } from "./runState.js";
import { startProvider, type ProviderProcess } from "./providers.js";
import { exported, isUnconfirmed, nameIn, replacedKey, type PendingOperation, type Saved } from "./state.js";
import type { Actor, CommandEvents } from "./timeline.js";

const lost = "error reading from server: EOF";

/** One command: its engine, and the provider processes that the engine started. */
export class EngineRun {
  readonly engine: Actor;
  readonly lines: string[] = [];
  readonly taken: Taken[] = [];
  /** Every process that it started. */
  readonly processes: ProviderProcess[] = [];
  private readonly providers = new Map<string, Promise<ProviderProcess>>();
  private readonly keptJobs = new Map<string, KeptJob>();
  private readonly state: RunState;
  private failed = false;
  private isPreview = false;
  private isCancelled = false;
  private port: number;
  private finish: (outcome: Outcome) => void = () => undefined;
  private crash: (error: unknown) => void = () => undefined;
  readonly outcome = new Promise<Outcome>((resolve, reject) => {
    this.finish = resolve;
    this.crash = reject;
  });

  constructor(
    private readonly world: EngineWorld,
    private readonly stack: Stack,
    readonly command: Command,
    events: CommandEvents,
  ) {
    this.engine = { machine: command.machine, command: events, isAlive: true };
    this.state = new RunState(stack, command, (save) => world.timeline.after(5, this.engine, save));
    this.port = world.nextPort();
  }

  /** Starts the command. */
  begin(): void {
    void this.play().then((end) => {
      this.end(end);
    }, this.crash);
  }

  /** Ends the command as a signal does, at any moment. */
  kill(what: "engine" | "provider" | "both", frees = false): void {
    const { timeline, noise } = this.world;
    const processes = this.processes.filter(({ isAlive }) => isAlive);
    if (what !== "engine") for (const process of processes) process.kill();
    if (what === "provider") return;
    // A provider's process notices that its engine is gone, and ends.
    for (const process of processes) timeline.after(noise.between(20, 3000), undefined, process.kill);
    this.engine.isAlive = false;
    if (frees && this.stack.lock === this) this.stack.lock = undefined;
    this.finish(this.result("killed"));
  }

  /** One Ctrl-C. */
  cancel(): void {
    this.isCancelled = true;
    for (const process of this.processes) if (process.isAlive) process.cancel();
  }

  private end(end: Outcome["end"]): void {
    for (const process of this.processes) if (process.isAlive) process.end();
    this.engine.isAlive = false;
    if (this.stack.lock === this) this.stack.lock = undefined;
    this.finish(this.result(end));
  }

  private result(end: Outcome["end"]): Outcome {
    const { failed, taken, lines } = this;
    const { env } = this.command;
    return { env, end, failed: failed || end !== "ended", taken: [...taken], lines: [...lines] };
  }

  private async play(): Promise<Outcome["end"]> {
    const { stack, command } = this;
    await this.pause();
    if (command.kind !== "preview") {
      if (stack.lock !== undefined) return "locked";
      stack.lock = this;
    }
    this.state.load();
    if (command.kind === "preview" || (command.kind === "up" && !command.skipPreview)) {
      await this.previewAll();
      if (command.kind === "preview" || this.failed) return "ended";
      // The engine starts new processes for the update.
      for (const process of this.processes) process.end();
      this.providers.clear();
      this.keptJobs.clear();
      this.port = this.world.nextPort();
      this.state.load();
    }
    switch (command.kind) {
      case "refresh":
        if (command.clearPending) this.state.clearPending();
        await this.readAll();
        break;
      case "destroy":
        await this.deleteAll(command.targets ?? [...this.view.keys()]);
        break;
      default:
        await this.upAll();
    }
    await this.pause();
    this.state.write(true);
    return "ended";
  }

  private async upAll(): Promise<void> {
    const { command } = this;
    if (command.refresh) {
      await this.readAll();
      if (this.failed) return;
    }
    await this.eachDeclared((name, declared) => this.register(name, declared));
    if (this.failed && !command.continueOnError) return;
    const isTarget = (key: string) => command.targets?.includes(nameIn(key)) ?? true;
    await this.deleteAll([...this.view.keys()].filter((name) => !(name in command.program) && isTarget(name)));
  }

  private async previewAll(): Promise<void> {
    const { command } = this;
    this.isPreview = true;
    if (command.refresh) await this.readAll();
    if (!this.failed) await this.eachDeclared((name, declared) => this.preview(name, declared));
    if (!this.failed)
      for (const name of this.view.keys()) if (!(name in command.program)) this.take(name, "deleted", this.now);
    this.isPreview = false;
    this.state.load();
  }

  /** The program registers one resource after the other, without waiting for them. */
  private async eachDeclared(work: (name: string, declared: Declaration) => Promise<void>): Promise<void> {
    const { program, targets, aliases } = this.command;
    const under: Promise<void>[] = [];
    for (const [name, declared] of Object.entries(program)) {
      await this.pause();
      if (this.isCancelled) break;
      if (targets !== undefined && !targets.includes(name)) continue;
      this.rename(aliases[name], name);
      under.push(work(name, declared));
    }
    await Promise.all(under);
  }

  private rename(from: string | undefined, to: string): void {
    const saved = from === undefined ? undefined : this.view.get(from);
    if (from === undefined || saved === undefined || this.view.has(to)) return;
    this.view.delete(from);
    this.view.set(to, saved);
  }

  private async register(name: string, declared: Declaration): Promise<void> {
    const began = this.now;
    const by = this.command.providers[name] ?? "default";
    const process = await this.provider(by);
    const saved = this.view.get(name);
    const inputs = await this.checked(process, name, saved?.outputs ?? {}, declared, began);
    if (inputs === undefined) return;
    if (saved === undefined) return this.create(name, inputs, by, began);
    if (saved.isTainted === true || this.command.replaces.includes(name))
      return this.replace(name, declared, by, began);
    const difference = await this.ask(process, () => process.calls.diff(saved.id, saved.outputs, inputs));
    if (difference === undefined) {
      this.fail(name, lost, began);
      return;
    }
    if (typeof difference === "object") {
      this.fail(name, difference.error, began);
      return;
    }
    if (difference === "none") {
      this.view.set(name, { id: saved.id, outputs: process.calls.unchanged(saved.outputs, inputs), provider: by });
      this.take(name, "same", began);
      return;
    }
    if (difference === "named" && this.command.replaceOnChanges.includes(name))
      return this.replace(name, declared, by, began);
    const operation = this.state.begin({ type: "updating", name, inputs, provider: by });
    const updated = await this.ask(process, () => process.calls.update(saved.id, saved.outputs, inputs));
    this.record(name, "updated", updated, by, began, operation);
  }

  /** The checked inputs; undefined if the check failed, or its process is gone. */
  private async checked(
    process: ProviderProcess,
    name: string,
    olds: Declaration,
    declared: Declaration,
    began: number,
  ): Promise<Declaration | undefined> {
    const checked = await this.ask(process, () => process.calls.check(olds, declared));
    if (checked?.failures.length === 0) return checked.inputs;
    this.fail(name, checked === undefined ? lost : checked.failures.join("\n"), began);
    return undefined;
  }

  /** The engine deletes the old job first, unless the plugin's resource lets it delete last. */
  private async replace(name: string, declared: Declaration, by: string, began: number): Promise<void> {
    const process = await this.provider(by);
    const inputs = await this.checked(process, name, {}, declared, began);
    if (inputs === undefined) return;
    const mayDeleteLast = this.command.deletesLast && this.world.provider(by).host === "plugin";
    const old = mayDeleteLast && !this.view.has(replacedKey(name)) ? this.view.get(name) : undefined;
    if (old === undefined) await this.delete(name);
    if (old !== undefined || !this.view.has(name)) await this.create(name, inputs, by, began, old);
  }

  /** `old`: the record that it replaces, if that is deleted later. */
  private async create(name: string, inputs: Declaration, by: string, began: number, old?: Saved): Promise<void> {
    const process = await this.provider(by);
    const operation = this.state.begin({ type: "creating", name, inputs, provider: by });
    let result: Result | undefined;
    for (let calls = 0; calls <= this.command.hookRepeats; calls += 1) {
      result = await this.ask(process, () => process.calls.create(inputs));
      if (result === undefined || result.kind === "ok") break;
    }
    if (old !== undefined && result !== undefined && result.kind !== "error")
      this.view.set(replacedKey(name), { ...old, isReplaced: true });
    this.record(name, "created", result, by, began, operation);
    // Both hosts fail the run if a hook made an unconfirmed create end as a success.
    const saved = this.view.get(name);
    if (result?.kind === "ok" && saved !== undefined && isUnconfirmed(saved))
      this.take(name, "recorded", began, unconfirmedByHook(name));
  }

  private async preview(name: string, declared: Declaration): Promise<void> {
    const began = this.now;
    const process = await this.provider(this.command.providers[name] ?? "default");
    const { calls } = process;
    const saved = this.view.get(name);
    const inputs = await this.checked(process, name, saved?.outputs ?? {}, declared, began);
    if (inputs === undefined) return;
    const foresee = (step: Step, result: Result | undefined) => {
      if (result === undefined || result.kind === "ok") this.take(name, step, began);
      else this.fail(name, result.message, began);
    };
    if (saved === undefined) {
      foresee("created", await this.ask(process, () => calls.previewCreate(inputs)));
      return;
    }
    const isReplaced = saved.isTainted === true || this.command.replaces.includes(name);
    const difference = isReplaced
      ? "named"
      : await this.ask(process, () => calls.diff(saved.id, saved.outputs, inputs));
    if (difference === undefined) {
      this.fail(name, lost, began);
      return;
    }
    if (typeof difference === "object") {
      this.fail(name, difference.error, began);
      return;
    }
    if (difference === "none") {
      this.take(name, "same", began);
      return;
    }
    if (isReplaced || (difference === "named" && this.command.replaceOnChanges.includes(name))) {
      const again = await this.checked(process, name, {}, declared, began);
      if (again === undefined) return;
      foresee("created", await this.ask(process, () => calls.previewCreate(again)));
      return;
    }
    foresee("updated", await this.ask(process, () => calls.previewUpdate(saved.id, saved.outputs, inputs)));
  }

  private async readAll(): Promise<void> {
    const isTarget = (name: string) => this.command.targets?.includes(name) ?? true;
    await Promise.all(
      [...this.view].map(async ([name, saved]) => {
        if (!isTarget(name) || saved.isReplaced === true) return;
        const began = this.now;
        const process = await this.provider(saved.provider);
        // An error is not an answer: only undefined in a box says that the resource is gone.
        const found = await this.ask(process, async () => ({
          read: await process.calls.read(saved.id, saved.outputs),
        }));
        if (found === undefined) {
          this.fail(name, lost, began);
          return;
        }
        if (found.read !== undefined) {
          this.record(name, "read", found.read, saved.provider, began);
          return;
        }
        this.view.delete(name);
        this.take(name, "gone", began);
      }),
    );
  }

  private async deleteAll(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.delete(name)));
  }

  private async delete(name: string): Promise<void> {
    const saved = this.view.get(name);
    if (saved === undefined || this.isCancelled) return;
    const began = this.now;
    const { provider, outputs: inputs } = saved;
    const process = await this.provider(provider);
    const operation = this.state.begin({ type: "deleting", name, inputs, provider });
    const result = await this.ask(process, () => process.calls.delete(saved.id, saved.outputs));
    if (result === undefined || result.kind === "error") {
      this.fail(name, result?.message ?? lost, began);
    } else {
      this.view.delete(name);
      this.take(name, "deleted", began);
    }
    this.state.end(operation);
  }

  private provider(name: string): Promise<ProviderProcess> {
    const { world, command, stack, engine, keptJobs, port, isPreview } = this;
    const known = this.providers.get(name);
    if (known !== undefined) return known;
    const started = startProvider({
      ...world,
      ...world.provider(name),
      ...{ machine: command.machine, command: engine.command, name, env: command.env, isPreview, keptJobs, port },
      args: [
        command.kind,
        ...(command.clearPending ? ["--clear-pending-creates"] : []),
        ...command.replaces.map((one) => `--replace=${one}`),
        ...(command.targets ?? []).map((one) => `--target=${one}`),
      ],
      exportStack: async (actor) => {
        // The CLI reads the state some time before its output is complete.
        await world.timeline.pause(command.exportMs / 4, actor);
        const { file } = stack;
        await world.timeline.pause(command.exportMs, actor);
        return exported(file);
      },
      isEngineAlive: () => engine.isAlive,
      say: (line) => {
        if (engine.isAlive) this.lines.push(line);
      },
    }).then((process) => {
      this.processes.push(process);
      return process;
    });
    this.providers.set(name, started);
    return started;
  }

  /** Makes a call to a provider's process; undefined if the process is killed meanwhile. */
  private async ask<Answer>(process: ProviderProcess, call: () => Promise<Answer>): Promise<Answer | undefined> {
    await this.pause();
    const answer = process.isAlive ? await Promise.race([call(), process.gone]) : undefined;
    await this.pause();
    return answer;
  }

  private record(
    name: string,
    step: Step,
    result: Result | undefined,
    provider: string,
    began: number,
    operation?: PendingOperation,
  ): void {
    if (result !== undefined && result.kind !== "error")
      this.view.set(name, { id: result.id, outputs: result.outputs, provider });
    if (operation !== undefined) this.state.end(operation);
    if (result === undefined || result.kind === "error") this.fail(name, result?.message ?? lost, began);
    else if (result.kind === "ok") this.take(name, step, began);
    else this.take(name, "recorded", began, result.message);
  }

  private fail(name: string, message: string, began: number): void {
    this.take(name, "failed", began, message);
  }

  private take(name: string, step: Step, began: number, message?: string): void {
    this.taken.push({ name: nameIn(name), step, message, began, ended: this.now, isPreview: this.isPreview });
    if (message !== undefined) this.failed = true;
  }

  private get view(): Map<string, Saved> {
    return this.state.view;
  }

  private get now(): number {
    return this.world.timeline.now;
  }

  /** A moment of the engine: only a living one goes on. */
  private pause(): Promise<void> {
    return this.world.timeline.pause(1 + this.world.noise.between(0, 3), this.engine);
  }
}
