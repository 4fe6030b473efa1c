import type * as pulumi from "@pulumi/pulumi";
import { AccountClients, type ClientOptions } from "../../client/accountClient.js";
import { Settings, type StackConfig } from "../../config/index.js";
import type { JobKind } from "../../jobs/index.js";
import { membersOf } from "../../json.js";
import type { KeptJobs } from "../../lifecycle/inventory/memory.js";
import type { JobState, Resource, SavedResource } from "../../lifecycle/resource.js";
import type { Done, Recorded } from "../../lifecycle/result.js";
import { Run } from "../../lifecycle/run.js";
import { warning, type Report } from "../../finding.js";
import type { EngineAddress } from "../engine.js";
import { firstReadingOf } from "../firstReading.js";
import { keptJobsOfRun } from "../keptJobs.js";
import { CreateNoteFiles, type ReadableNotes } from "../createNotes.js";
import { OwnStateReader } from "../ownState.js";
import type { RunCommand } from "../../lifecycle/runTypes.js";
import { commandOfCli, type ExportStack } from "../stackExport.js";
import {
  hasSecret,
  inputsOf,
  isNamed,
  labelOf,
  nameStack,
  outputsDeclared,
  outputsOf,
  resourceOf,
  savedOf,
  takeStack,
  wordsOfRun,
  type Members,
} from "./identity.js";
import { RecordedError, RefusedError } from "./sdkHost.js";

/** What a {@link ProviderHost} needs from its process, and the client options that unit tests replace. */
interface HostOptions extends ClientOptions {
  /** Undefined if no engine started this process (unit tests). */
  readonly engine?: EngineAddress | undefined;
  /** Default: the configuration of the first `configure` call. */
  readonly config?: StackConfig;
  readonly environment?: NodeJS.ProcessEnv;
  /** Replaces the notes that the processes of a run share (unit tests). */
  readonly keptJobs?: KeptJobs;
  /** Undefined if there is no state to read. */
  readonly exportStack?: ExportStack | undefined;
  /** Replaces the notes on this machine (unit tests). */
  readonly createNotes?: ReadableNotes | undefined;
  /** The CLI's command. Default: what this machine shows of it. */
  readonly command?: RunCommand;
}

export type JobProvider = Required<pulumi.dynamic.ResourceProvider<Members, Members>>;

/**
 * Connects the engine's dynamic protocol to the lifecycle, for one process. The class implements all hooks, because the
 * SDK's host treats a missing `update` or `delete` as a success.
 */
export class ProviderHost {
  private config: StackConfig | undefined;
  private known: Run | undefined;
  private knownClients: AccountClients | undefined;
  private readonly ownState: OwnStateReader;
  private readonly createNotes: ReadableNotes | undefined;
  /** Whether the run is a preview, according to the newest check. */
  private isPreview = false;
  /** The program's run, according to the newest check. */
  private programRun: string | undefined;
  /** The URNs of the declared resources, by their keys. */
  private readonly urns = new Map<string, string>();

  constructor(private readonly options: HostOptions) {
    this.config = options.config;
    const { engine, exportStack, createNotes } = options;
    const report: Report = (finding) => {
      this.clients().report(finding);
    };
    this.createNotes = createNotes ?? (engine && new CreateNoteFiles(engine, report));
    this.ownState = new OwnStateReader({
      exportStack,
      report,
      createNotes: this.createNotes,
      firstReading: engine && firstReadingOf(engine),
    });
  }

  provider(kind: JobKind): JobProvider {
    return {
      // Only store the configuration here. Other calls start before `configure` ends, and if `configure` throws, they
      // run without a configuration.
      configure: async (request) => {
        this.config ??= request.config;
      },
      check: async (olds, news) => this.check(kind, olds, news),
      diff: async (id, olds, news) => this.diff(kind, id, olds, news),
      create: async (inputs) => {
        const known = resourceOf(kind, inputs);
        const done = await this.run().create({ ...known, urn: this.urns.get(known.key) });
        const { id, state } = succeeded(done, inputs);
        return { id, outs: this.outputsIn(inputs, state) };
      },
      read: async (id, outputs = {}) => {
        const saved = savedOf(kind, id, outputs);
        // If the user broke a state by editing it, leave the state as it is: a refresh must not fail.
        if (saved === undefined) return { id, props: outputs };
        this.learnStack(saved);
        const found = await this.run().read(saved);
        if (found === undefined) return {};
        const inputs = found.hasDrifted ? { inputs: inputsOf(outputs, found.state) } : {};
        return { id: found.id, props: outputsOf(outputs, found.state), ...inputs };
      },
      update: async (id, olds, news) => {
        const known = resourceOf(kind, news, id);
        const resource = { ...known, urn: this.urns.get(known.key) };
        const saved = { ...this.savedIn(kind, id, olds), urn: resource.urn };
        const result = await this.run().update(saved, resource);
        return { outs: this.outputsIn(news, succeeded(result, news).state) };
      },
      delete: async (id, outputs) => {
        const saved = this.savedIn(kind, id, outputs);
        this.ownState.stack ??= { id };
        await this.run().delete(saved);
      },
    };
  }

  /** The URN of the resource with these members; undefined if the program has not declared it in this run. */
  urnOf(kind: JobKind, members: Members): string | undefined {
    return takeStack(members)[0]?.urn ?? this.urns.get(resourceOf(kind, members).key);
  }

  private async check(kind: JobKind, olds: Members, inputs: Members) {
    const exists = Object.keys(olds).length > 0;
    const [stack, news] = takeStack(inputs);
    // A transform may have removed it from this resource only.
    this.ownState.stack = stack ?? this.ownState.stack;
    nameStack(stack?.urn);
    const resource = { ...resourceOf(kind, news), urn: stack?.urn };
    if (stack !== undefined) {
      this.urns.set(resource.key, stack.urn);
      this.isPreview = stack.isPreview;
      this.programRun = stack.run;
    }
    if (stack === undefined && !exists && this.options.exportStack !== undefined)
      this.run().reportOnce(warning(resource, lacksStack(resource.label)), "no stack");
    const checked = await this.run().check(resource, exists ? olds : undefined);
    // The engine does not preview the create of a dynamic resource, so a preview can only refuse it in the check.
    const isForeseen = this.isPreview && !exists && checked.problems.length === 0;
    const problems = isForeseen ? await this.foreseen(resource, stack?.isDeletedFirst) : checked.problems;
    // If `property` named an input, the engine would print its value, even a secret in clear text.
    const failures = problems.map((problem) => ({ property: "", reason: problem.toWellFormed() }));
    return { inputs: news, failures };
  }

  private async diff(kind: JobKind, id: string, olds: Members, news: Members): Promise<pulumi.dynamic.DiffResult> {
    const run = this.run();
    const known = resourceOf(kind, news, id);
    const resource = { ...known, urn: this.urns.get(known.key) };
    // The saved outputs may have the name from before a rename.
    const saved = { ...this.savedIn(kind, id, olds), urn: resource.urn };
    const difference = await run.diff(saved, resource);
    if (this.isPreview && (difference === "change" || difference === "update")) await run.foresee(resource, saved);
    // A refresh only displays the difference. If the mode can read jobs, reply `{}`: the engine then compares the
    // inputs itself, so the refresh shows what was changed at the service.
    if (difference === "refreshed") return run.rulesFor(saved.origin).canRead ? {} : { changes: false };
    // Without an update, the engine keeps the old name, and a later delete asks about another resource.
    if (difference === "none" && (isOfPlugin(olds, news) || (isNamed(olds) && saved.key !== resource.key))) {
      run.reportRecordOnly(resource);
      return { changes: true };
    }
    // Without a difference, the engine keeps the old outputs: a value that became secret would stay in clear text. Values
    // arrive here without their secret marks, but after the reply `{}` the engine compares the inputs with their marks.
    if (difference === "none" && hasSecret(news))
      return Object.keys(saved.declared).every((member) => saved.isPlain(member)) ? { changes: true } : {};
    return difference === "change" ? {} : { changes: difference === "update" };
  }

  /**
   * The outputs of a success. If it leaves a create unconfirmed, they name the program's run, which must then fail. It
   * could not tell by `at`, which is the service's time.
   */
  private outputsIn(members: Members, state: JobState): Members {
    const outputs = outputsDeclared(members, state);
    const { programRun: run } = this;
    if (state.origin.outcome !== "unconfirmed" || run === undefined) return outputs;
    return { ...outputs, origin: { ...membersOf(outputs["origin"]), run } };
  }

  /** A refresh or destroy does not name its stack, but the stand-in of an unconfirmed create identifies it. */
  private learnStack({ id, origin }: SavedResource): void {
    if (origin.outcome === "unconfirmed") this.ownState.stack ??= { id };
  }

  private async foreseen(resource: Resource, isDeletedFirst: boolean | undefined): Promise<readonly string[]> {
    try {
      await this.run().foresee(resource, undefined, isDeletedFirst);
      return [];
    } catch (error) {
      if (error instanceof RefusedError) return [error.message];
      throw error;
    }
  }

  /** @throws RefusedError if the state is not from this package. */
  private savedIn(kind: JobKind, id: string, outputs: Members): SavedResource {
    const saved = savedOf(kind, id, outputs) ?? this.run().refuseState(labelOf(kind, outputs, id));
    return Object.assign(saved, { urn: this.urns.get(saved.key) });
  }

  /** Findings name their resource by its key, but the engine knows only URNs. In a refresh or destroy, no URN is known. */
  private readonly report: Report = ({ about, ...finding }) => {
    this.options.report({ ...finding, about: about === undefined ? undefined : this.urns.get(about) });
  };

  private run(): Run {
    return (this.known ??= this.newRun());
  }

  private newRun(): Run {
    const { engine, keptJobs = engine && keptJobsOfRun(engine), command = commandOfCli() } = this.options;
    const failure = (message: string, label: string) => new RefusedError(message, label);
    const { createNotes, ownState } = this;
    return new Run({ clients: this.clients(), keptJobs, failure, createNotes, command, ownState: ownState.read });
  }

  private clients(): AccountClients {
    const { config, options, report } = this;
    return (this.knownClients ??= new AccountClients(
      new Settings(config ?? { get: () => undefined }, options.environment, wordsOfRun()),
      { ...options, report },
    ));
  }
}

/** @throws RecordedError if the run must fail but save the state: only this error makes the SDK's host do both. */
function succeeded(result: Done | Recorded, inputs: Members): Done {
  if (result.kind === "done") return result;
  throw new RecordedError(result, outputsDeclared(inputs, result.state));
}

const lacksStack = (label: string): string =>
  `${label}: a transform has removed its input __stack. Its create leaves no note on this machine, and if no other job has the input, this run does not know which creates earlier runs left unconfirmed: if a run is killed, the next one may create the job again. Let the transform keep all inputs that begin with __.`;

/** Whether the plugin saved the state. Its states lack the `__provider` that the SDK needs for a refresh or destroy. */
const isOfPlugin = (olds: Members, news: Members): boolean => "__provider" in news && !("__provider" in olds);
