import type { Declaration } from "../../../provider/src/jobs/index.js";
import { exportedMembers } from "./encrypted.js";
import { urnIn } from "./hosts.js";
import { ownStack } from "./runOptions.js";
import type { Result, RunProvider } from "./runProvider.js";

export interface SavedResource {
  readonly id: string;
  readonly outputs: Declaration;
  /** The provider that last saved the resource; absent for the default provider. */
  readonly provider?: string;
}

/** The result of one command: the steps by resource, and everything that a user could read. */
export interface CommandResult {
  readonly steps: Readonly<Record<string, Step>>;
  /** The errors by resource; `text` has them too. */
  readonly messages: Readonly<Record<string, string>>;
  readonly text: string;
  readonly failed: boolean;
  /** The resources whose delete the provider refused. */
  readonly notDeleted: readonly string[];
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

type StartProvider = (provider: string) => Promise<RunProvider>;

/** Plays the engine: keeps a state, and calls the providers in the engine's order. Each command is its own run. */
export class SimulatedStack {
  readonly state = new Map<string, SavedResource>();
  /** The state when the latest command began; for `up`, when it began to change jobs, after any refresh. */
  known: ReadonlyMap<string, SavedResource> = new Map();
  /** The creates that a killed run had begun, by name. */
  readonly pending = new Map<string, Declaration>();
  /** When the state was last written, in milliseconds since 1970. */
  savedAt: number | undefined;

  /** `startRun` is called for each command. */
  constructor(private readonly startRun: (isPreview: boolean) => StartProvider) {}

  /** Changes nothing: the steps are those that `up` would do. */
  async preview(program: Program, options: CommandOptions = {}): Promise<CommandResult> {
    const { serial = false, refresh = false } = options;
    return this.command(async (run) => {
      if (refresh) await run.readAll(serial);
      if (!run.failed) await run.previewAll(program, options);
    }, true);
  }

  async up(program: Program, options: CommandOptions = {}): Promise<CommandResult> {
    const { serial = false, continueOnError = false, refresh = false } = options;
    return this.command(async (run) => {
      if (refresh) {
        await run.readAll(serial);
        if (run.failed) return;
      }
      this.known = new Map(this.state);
      await each(Object.entries(program), serial, ([name, declared]) => run.register(name, declared, options));
      if (run.failed && !continueOnError) return;
      await run.deleteAll([...this.state.keys()].filter((name) => !(name in program)));
    });
  }

  /** The state as the CLI exports it. Default: as it is now, with what a running command has saved so far. */
  export(state: ReadonlyMap<string, SavedResource> = this.state): string {
    const known = (name: string, inputs: Declaration, provider = "default") => {
      // After a rename without a change, the outputs of the classes still have the old name.
      const urn = urnIn(inputs).replace(/[^:]*$/, name);
      return {
        urn,
        type: urn.split("::")[2],
        inputs: exportedMembers(inputs),
        provider: `${ownStack.urn}::pulumi:providers:own::${provider}::id`,
      };
    };
    const resources = [...state].map(([name, { id, outputs, provider }]) => ({
      ...known(name, outputs, provider),
      id,
      outputs: exportedMembers(outputs),
    }));
    const pending = [...this.pending].map(([name, inputs]) => ({ type: "creating", resource: known(name, inputs) }));
    const manifest = this.savedAt === undefined ? {} : { time: new Date(this.savedAt).toISOString() };
    return JSON.stringify({ deployment: { manifest, resources, pending_operations: pending } });
  }

  async refresh({ serial = false }: CommandOptions = {}): Promise<CommandResult> {
    return this.command((run) => run.readAll(serial));
  }

  /** `targets`: the resources that `--target` names. Default: all. */
  async destroy(targets: readonly string[] = [...this.state.keys()]): Promise<CommandResult> {
    return this.command((run) => run.deleteAll(targets));
  }

  /**
   * Does what the engine does to replace one resource: the engine deletes the old job first, unless the old job is retained.
   * `compared`: the engine calls diff, as for `replaceOnChanges` but not for `--replace` or `replacementTrigger`.
   */
  async replace(
    name: string,
    inputs: Declaration,
    { retain = false, compared = true }: { readonly retain?: boolean; readonly compared?: boolean } = {},
  ): Promise<CommandResult> {
    return this.command(async (run) => {
      const saved = this.state.get(name);
      const provider = await run.provider();
      if (saved !== undefined) await provider.check(saved.outputs, inputs);
      if (saved !== undefined && compared) await provider.diff(saved.id, saved.outputs, inputs);
      if (!retain) await run.deleteAll([name]);
      else this.state.delete(name);
      if (!run.failed) await run.register(name, inputs);
      if (retain && saved !== undefined && !this.state.has(name)) this.state.set(name, saved);
    });
  }

  /** Does what an alias does: the engine keeps what it saved under another name. */
  rename(from: string, to: string): void {
    const saved = this.state.get(from);
    this.state.delete(from);
    if (saved !== undefined) this.state.set(to, saved);
  }

  private async command(work: (run: Run) => Promise<void>, isPreview = false): Promise<CommandResult> {
    this.known = new Map(this.state);
    // What a preview reads is not saved.
    const run = new Run(isPreview ? new Map(this.state) : this.state, this.startRun(isPreview));
    await work(run);
    return run.end();
  }
}

/** The run of one command: what it has done to the state so far, and its providers, each started when first needed. */
class Run {
  failed = false;
  private readonly steps: Record<string, Step> = {};
  private readonly messages: Record<string, string> = {};
  private readonly notDeleted: string[] = [];
  private readonly providers = new Map<string, Promise<RunProvider>>();

  constructor(
    private readonly state: Map<string, SavedResource>,
    private readonly start: StartProvider,
  ) {}

  provider(name = "default"): Promise<RunProvider> {
    let provider = this.providers.get(name);
    if (provider === undefined) this.providers.set(name, (provider = this.start(name)));
    return provider;
  }

  async register(
    name: string,
    declared: Declaration,
    { providers = {}, replaceOnChanges = [] }: CommandOptions = {},
  ): Promise<void> {
    const saved = this.state.get(name);
    const by = providers[name];
    const provider = await this.provider(by);
    const { inputs, failures } = await provider.check(saved?.outputs ?? {}, declared);
    const create = async () => {
      this.record(name, "created", await provider.create(inputs), by);
    };
    if (failures.length > 0) {
      this.take(name, "failed", failures.join("\n"));
    } else if (saved === undefined) {
      await create();
    } else {
      const difference = await provider.diff(saved.id, saved.outputs, inputs);
      if (typeof difference === "object") {
        this.take(name, "failed", difference.error);
      } else if (difference === "none") {
        this.take(name, "same");
        this.save(name, { id: saved.id, outputs: provider.unchanged(saved.outputs, inputs) }, by);
      } else if (difference === "named" && replaceOnChanges.includes(name)) {
        const again = await provider.check({}, declared);
        if (again.failures.length > 0) this.take(name, "failed", again.failures.join("\n"));
        else await this.deleteAll([name]);
        if (!this.state.has(name)) await create();
      } else {
        this.record(name, "updated", await provider.update(saved.id, saved.outputs, inputs), by);
      }
    }
  }

  async previewAll(program: Program, options: CommandOptions): Promise<void> {
    await each(Object.entries(program), options.serial === true, ([name, declared]) =>
      this.preview(name, declared, options),
    );
    if (this.failed) return;
    for (const name of this.state.keys()) if (!(name in program)) this.take(name, "deleted");
  }

  private async preview(
    name: string,
    declared: Declaration,
    { providers = {}, replaceOnChanges = [] }: CommandOptions,
  ): Promise<void> {
    const saved = this.state.get(name);
    const provider = await this.provider(providers[name]);
    const { inputs, failures } = await provider.check(saved?.outputs ?? {}, declared);
    if (failures.length > 0) {
      this.take(name, "failed", failures.join("\n"));
    } else if (saved === undefined) {
      this.foresee(name, "created", await provider.previewCreate(inputs));
    } else {
      const difference = await provider.diff(saved.id, saved.outputs, inputs);
      if (typeof difference === "object") this.take(name, "failed", difference.error);
      else if (difference === "none") this.take(name, "same");
      else if (difference === "named" && replaceOnChanges.includes(name)) {
        const again = await provider.check({}, declared);
        if (again.failures.length > 0) this.take(name, "failed", again.failures.join("\n"));
        else this.foresee(name, "created", await provider.previewCreate(again.inputs));
      } else this.foresee(name, "updated", await provider.previewUpdate(saved.id, saved.outputs, inputs));
    }
  }

  private foresee(name: string, step: Step, result: Result | undefined): void {
    if (result === undefined || result.kind === "ok") this.take(name, step);
    else this.take(name, "failed", result.message);
  }

  async readAll(serial: boolean): Promise<void> {
    await each([...this.state], serial, async ([name, saved]) => {
      const provider = await this.provider(saved.provider);
      const found = await provider.read(saved.id, saved.outputs);
      if (found !== undefined) this.record(name, "read", found, saved.provider);
      else this.remove(name, "gone");
    });
  }

  async deleteAll(names: readonly string[]): Promise<void> {
    await each(names, false, async (name) => {
      const saved = this.state.get(name);
      if (saved === undefined) return;
      const provider = await this.provider(saved.provider);
      const result = await provider.delete(saved.id, saved.outputs);
      if (result.kind === "error") {
        this.notDeleted.push(name);
        this.take(name, "failed", result.message);
      } else this.remove(name, "deleted");
    });
  }

  async end(): Promise<CommandResult> {
    const { steps, messages, failed, notDeleted } = this;
    const providers = await Promise.all(this.providers.values());
    const shown = await Promise.all(providers.map((provider) => provider.end()));
    return { steps, messages, text: [shown.join("\n"), ...Object.values(messages)].join("\n"), failed, notDeleted };
  }

  private record(name: string, step: Step, result: Result, provider?: string): void {
    if (result.kind === "error") {
      this.take(name, "failed", result.message);
      return;
    }
    this.save(name, { id: result.id, outputs: result.outputs }, provider);
    if (result.kind === "ok") this.take(name, step);
    else this.take(name, "recorded", result.message);
  }

  private save(name: string, resource: SavedResource, provider: string | undefined): void {
    this.state.set(name, { ...resource, ...(provider !== undefined && { provider }) });
  }

  private remove(name: string, step: Step): void {
    this.state.delete(name);
    this.take(name, step);
  }

  private take(name: string, step: Step, message?: string): void {
    this.steps[name] = step;
    if (message === undefined) return;
    this.messages[name] = message;
    this.failed = true;
  }
}

/** Does the work for one item after the other, or for all at once. */
async function each<Item>(items: readonly Item[], serial: boolean, work: (item: Item) => Promise<void>): Promise<void> {
  if (serial) for (const item of items) await work(item);
  else await Promise.all(items.map((item) => work(item)));
}
