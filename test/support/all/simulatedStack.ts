import type { Declaration } from "../../../provider/src/jobs/index.js";
import { ProvidersOfRun, type Result, type RunProvider } from "./runProvider.js";

export interface SavedResource {
  readonly id: string;
  readonly outputs: Declaration;
  /** The provider that last saved the resource; absent for the default provider. */
  readonly provider?: string;
}

/** The result of one command: the steps by resource, and everything that a user could read. */
export interface CommandResult {
  readonly steps: Readonly<Record<string, Step>>;
  readonly messages: Readonly<Record<string, string>>;
  readonly text: string;
  readonly failed: boolean;
}

export type Step =
  | "same"
  | "created"
  | "updated"
  | "deleted"
  | "read"
  | "gone"
  | "failed"
  /** The engine saves the resource although the call failed. */
  | "recorded";

export type Program = Readonly<Record<string, Declaration>>;

export interface CommandOptions {
  /** Handle one resource after the other instead of all at once. */
  readonly serial?: boolean;
  readonly continueOnError?: boolean;
  /** Read all resources of the state first. */
  readonly refresh?: boolean;
  /** The provider of each resource, by the resource's name. */
  readonly providers?: Readonly<Partial<Record<string, string>>>;
  /** The resources that are replaced if they change. */
  readonly replaceOnChanges?: readonly string[];
}

/** Plays the engine: keeps a state, and calls the providers in the engine's order. Each command is its own run. */
export class SimulatedStack {
  readonly state = new Map<string, SavedResource>();
  /** The state when the latest `up` began to change jobs: after its refresh, if any. */
  known: ReadonlyMap<string, SavedResource> = new Map();

  /** `startRun` is called for each command. */
  constructor(private readonly startRun: () => (provider: string) => Promise<RunProvider>) {}

  async up(program: Program, options: CommandOptions = {}): Promise<CommandResult> {
    const { serial = false, continueOnError = false, refresh = false } = options;
    return this.command(async (run, note) => {
      if (refresh) {
        await this.readAll(run, note, serial);
        if (note.failed) return;
      }
      this.known = new Map(this.state);
      const names = Object.keys(program);
      const register = (name: string) => this.register(run, note, name, program[name] ?? {}, options);
      if (serial) for (const name of names) await register(name);
      else await Promise.all(names.map(register));
      if (note.failed && !continueOnError) return;
      await this.deleteAll(
        run,
        note,
        [...this.state.keys()].filter((name) => !(name in program)),
      );
    });
  }

  async refresh({ serial = false }: CommandOptions = {}): Promise<CommandResult> {
    return this.command((run, note) => this.readAll(run, note, serial));
  }

  async destroy(): Promise<CommandResult> {
    return this.command((run, note) => this.deleteAll(run, note, [...this.state.keys()]));
  }

  /**
   * Does what the engine does when a replacement of one resource is requested: the engine deletes the old job first,
   * unless the old job is retained. `compared`: the engine calls diff, as for `replaceOnChanges` but not for
   * `--replace` or `replacementTrigger`.
   */
  async replace(
    name: string,
    inputs: Declaration,
    { retain = false, compared = true }: { readonly retain?: boolean; readonly compared?: boolean } = {},
  ): Promise<CommandResult> {
    return this.command(async (run, note) => {
      const saved = this.state.get(name);
      const provider = await run.with();
      if (saved !== undefined) await provider.check(saved.outputs, inputs);
      if (saved !== undefined && compared) await provider.diff(saved.id, saved.outputs, inputs);
      if (!retain) await this.deleteAll(run, note, [name]);
      else this.state.delete(name);
      if (!note.failed) await this.register(run, note, name, inputs);
      if (retain && saved !== undefined && !this.state.has(name)) this.state.set(name, saved);
    });
  }

  /** Does what an alias does: the engine keeps what it saved, under another name. */
  rename(from: string, to: string): void {
    const saved = this.state.get(from);
    this.state.delete(from);
    if (saved !== undefined) this.state.set(to, saved);
  }

  private async command(work: (run: ProvidersOfRun, note: Notes) => Promise<void>): Promise<CommandResult> {
    const run = new ProvidersOfRun(this.startRun());
    const notes = new Notes();
    await work(run, notes);
    const text = [await run.end(), ...Object.values(notes.messages)].join("\n");
    return { steps: notes.steps, messages: notes.messages, text, failed: notes.failed };
  }

  private async register(
    run: ProvidersOfRun,
    note: Notes,
    name: string,
    declared: Declaration,
    { providers = {}, replaceOnChanges = [] }: CommandOptions = {},
  ): Promise<void> {
    const saved = this.state.get(name);
    const by = providers[name];
    const provider = await run.with(by);
    const { inputs, failures } = await provider.check(saved?.outputs ?? {}, declared);
    const create = async () => {
      this.record(note, name, "created", await provider.create(inputs), by);
    };
    if (failures.length > 0) {
      note.take(name, "failed", failures.join("\n"));
    } else if (saved === undefined) {
      await create();
    } else {
      const different = await provider.diff(saved.id, saved.outputs, inputs);
      if (typeof different === "object") {
        note.take(name, "failed", different.error);
      } else if (!different) {
        note.take(name, "same");
        const outputs = provider.same?.(saved.outputs, inputs) ?? saved.outputs;
        this.state.set(name, { id: saved.id, outputs, ...named(by) });
      } else if (replaceOnChanges.includes(name)) {
        await this.deleteAll(run, note, [name]);
        if (!this.state.has(name)) await create();
      } else {
        this.record(note, name, "updated", await provider.update(saved.id, saved.outputs, inputs), by);
      }
    }
  }

  private record(note: Notes, name: string, step: Step, result: Result, provider?: string): void {
    if (result.kind === "error") {
      note.take(name, "failed", result.message);
      return;
    }
    this.state.set(name, { id: result.id, outputs: result.outputs, ...named(provider) });
    if (result.kind === "ok") note.take(name, step);
    else note.take(name, "recorded", result.message);
  }

  private async readAll(run: ProvidersOfRun, note: Notes, serial: boolean): Promise<void> {
    const read = ([name, saved]: [string, SavedResource]) => this.readOne(run, note, name, saved);
    if (serial) for (const each of [...this.state]) await read(each);
    else await Promise.all([...this.state].map(read));
  }

  private async readOne(run: ProvidersOfRun, note: Notes, name: string, saved: SavedResource): Promise<void> {
    const provider = await run.with(saved.provider);
    const found = await provider.read(saved.id, saved.outputs);
    if (found !== undefined) {
      this.record(note, name, "read", found, saved.provider);
    } else {
      this.state.delete(name);
      note.take(name, "gone");
    }
  }

  private async deleteAll(run: ProvidersOfRun, note: Notes, names: readonly string[]): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        const saved = this.state.get(name);
        if (saved === undefined) return;
        const provider = await run.with(saved.provider);
        const result = await provider.delete(saved.id, saved.outputs);
        if (result.kind === "error") {
          note.take(name, "failed", result.message);
          return;
        }
        this.state.delete(name);
        note.take(name, "deleted");
      }),
    );
  }
}

const named = (provider: string | undefined) => (provider === undefined ? {} : { provider });

class Notes {
  readonly steps: Record<string, Step> = {};
  readonly messages: Record<string, string> = {};
  failed = false;

  take(name: string, step: Step, message?: string): void {
    this.steps[name] = step;
    if (message === undefined) return;
    this.messages[name] = message;
    this.failed = true;
  }
}
