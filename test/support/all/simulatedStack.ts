import type { Declaration } from "../../../provider/src/jobs/index.js";

/** What a call of the provider came to, as the engine sees it. */
export type Result =
  | { readonly kind: "ok"; readonly id: string; readonly outputs: Declaration }
  /** Recorded, and the run fails. */
  | { readonly kind: "initFailed"; readonly id: string; readonly outputs: Declaration; readonly message: string }
  | { readonly kind: "error"; readonly message: string };

/** A provider for one run: one process, or what stands for it. */
export interface RunProvider {
  check(
    olds: Declaration,
    news: Declaration,
  ): Promise<{ readonly inputs: Declaration; readonly failures: readonly string[] }>;
  /** Whether there is an update, or why not. */
  diff(id: string, olds: Declaration, news: Declaration): Promise<boolean | { readonly error: string }>;
  create(inputs: Declaration): Promise<Result>;
  update(id: string, olds: Declaration, news: Declaration): Promise<Result>;
  /** `undefined` for a resource that is gone. */
  read(id: string, outputs: Declaration): Promise<Result | undefined>;
  delete(id: string, outputs: Declaration): Promise<Result>;
  /** Ends the run, and gives what was shown in it. */
  end(): Promise<string>;
}

/** The same as a process, and the engine that started it. */
export interface StartedProvider extends RunProvider {
  /** What a user could read beside the answers, up to now. */
  said(): string;
  /** All that the process printed. */
  printed(): string;
  kill(): void;
  /** From now on the engine looks dead to the process. */
  closeEngine(): Promise<void>;
  stop(): Promise<void>;
}

export interface SavedResource {
  readonly id: string;
  readonly outputs: Declaration;
}

/** What one command did: the steps by resource, and all that a user could read. */
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
  /** The engine records it although the call failed. */
  | "recorded";

export type Program = Readonly<Record<string, Declaration>>;

export interface CommandOptions {
  /** One resource after the other instead of all at once. */
  readonly serial?: boolean;
  readonly continueOnError?: boolean;
}

/** The engine's part: a state, and the order in which it calls a provider. Each command is a run of its own. */
export class SimulatedStack {
  readonly state = new Map<string, SavedResource>();

  constructor(private readonly startRun: () => Promise<RunProvider>) {}

  async up(program: Program, { serial = false, continueOnError = false }: CommandOptions = {}): Promise<CommandResult> {
    return this.command(async (run, note) => {
      const names = Object.keys(program);
      const register = (name: string) => this.register(run, note, name, program[name] ?? {});
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
    return this.command(async (run, note) => {
      const read = ([name, saved]: [string, SavedResource]) => this.readOne(run, note, name, saved);
      if (serial) for (const each of [...this.state]) await read(each);
      else await Promise.all([...this.state].map(read));
    });
  }

  async destroy(): Promise<CommandResult> {
    return this.command((run, note) => this.deleteAll(run, note, [...this.state.keys()]));
  }

  /**
   * What the engine does with one resource of which a replacement was asked: it deletes first, unless the old job is
   * retained. `compared`: it asks for a diff, as for `replaceOnChanges`, but not for `--replace` or `replacementTrigger`.
   */
  async replace(
    name: string,
    inputs: Declaration,
    { retain = false, compared = true }: { readonly retain?: boolean; readonly compared?: boolean } = {},
  ): Promise<CommandResult> {
    return this.command(async (run, note) => {
      const saved = this.state.get(name);
      if (saved !== undefined) await run.check(saved.outputs, inputs);
      if (saved !== undefined && compared) await run.diff(saved.id, saved.outputs, inputs);
      if (!retain) await this.deleteAll(run, note, [name]);
      else this.state.delete(name);
      if (!note.failed) await this.register(run, note, name, inputs);
      if (retain && saved !== undefined && !this.state.has(name)) this.state.set(name, saved);
    });
  }

  /** What an alias does: the engine keeps what it saved, under another name. */
  rename(from: string, to: string): void {
    const saved = this.state.get(from);
    this.state.delete(from);
    if (saved !== undefined) this.state.set(to, saved);
  }

  private async command(work: (run: RunProvider, note: Notes) => Promise<void>): Promise<CommandResult> {
    const run = await this.startRun();
    const notes = new Notes();
    await work(run, notes);
    const text = [await run.end(), ...Object.values(notes.messages)].join("\n");
    return { steps: notes.steps, messages: notes.messages, text, failed: notes.failed };
  }

  private async register(run: RunProvider, note: Notes, name: string, declared: Declaration): Promise<void> {
    const saved = this.state.get(name);
    const { inputs, failures } = await run.check(saved?.outputs ?? {}, declared);
    if (failures.length > 0) {
      note.take(name, "failed", failures.join("\n"));
    } else if (saved === undefined) {
      this.record(note, name, "created", await run.create(inputs));
    } else {
      const different = await run.diff(saved.id, saved.outputs, inputs);
      if (typeof different === "object") note.take(name, "failed", different.error);
      else if (!different) note.take(name, "same");
      else this.record(note, name, "updated", await run.update(saved.id, saved.outputs, inputs));
    }
  }

  private record(note: Notes, name: string, step: Step, result: Result): void {
    if (result.kind === "error") {
      note.take(name, "failed", result.message);
      return;
    }
    this.state.set(name, { id: result.id, outputs: result.outputs });
    if (result.kind === "ok") note.take(name, step);
    else note.take(name, "recorded", result.message);
  }

  private async readOne(run: RunProvider, note: Notes, name: string, saved: SavedResource): Promise<void> {
    const found = await run.read(saved.id, saved.outputs);
    if (found !== undefined) {
      this.record(note, name, "read", found);
    } else {
      this.state.delete(name);
      note.take(name, "gone");
    }
  }

  private async deleteAll(run: RunProvider, note: Notes, names: readonly string[]): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        const saved = this.state.get(name);
        if (saved === undefined) return;
        const result = await run.delete(saved.id, saved.outputs);
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
