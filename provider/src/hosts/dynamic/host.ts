import type * as pulumi from "@pulumi/pulumi";
import { Services, type ClientOptions } from "../../client/service.js";
import { Cancellation } from "../../client/gate.js";
import { Settings, type StackConfig } from "../../config/index.js";
import type { JobKind } from "../../jobs/index.js";
import type { KeptJobs } from "../../lifecycle/inventory/holders.js";
import type { Resource, SavedResource } from "../../lifecycle/resource.js";
import type { Done, Recorded } from "../../lifecycle/result.js";
import { Run } from "../../lifecycle/run.js";
import { willRecordOnly } from "../../lifecycle/texts/shared.js";
import { engineAddress, engineWatch, log, type EngineAddress } from "../engine.js";
import { keptJobsOfRun } from "../keptJobs.js";
import { exportWithCli, OwnStateReader, type ExportStack } from "../ownState.js";
import { hasSecret, inputsOf, labelOf, outputsOf, resourceOf, savedOf, takeStack, type Members } from "./identity.js";
import { endAfterCalls, RecordedError, RefusedError } from "./sdkHost.js";

/** What a {@link ProviderHost} needs from its process, and what unit tests replace of the client. */
interface HostOptions extends Partial<ClientOptions> {
  /** Undefined if no engine started this process (unit tests). */
  readonly engine?: EngineAddress | undefined;
  /** Default: the configuration of the first `configure` call. */
  readonly config?: StackConfig;
  readonly environment?: NodeJS.ProcessEnv;
  /** Replaces the notes that the processes of a run share (unit tests). */
  readonly keptJobs?: KeptJobs;
  /** Undefined if there is no state to read. */
  readonly exportStack?: ExportStack | undefined;
}

type JobProvider = Required<pulumi.dynamic.ResourceProvider<Members, Members>>;

/**
 * Connects the engine's dynamic protocol to the lifecycle, for one process. The class implements all hooks, because the
 * SDK's host treats a missing `update` or `delete` as a success.
 */
export class ProviderHost {
  private config: StackConfig | undefined;
  private known: Run | undefined;
  private readonly ownState: OwnStateReader;
  /** Whether the run is a preview, as the class told the newest check. */
  private isPreview = false;
  /** The URNs of the declared resources, by their keys. */
  private readonly urns = new Map<string, string>();

  constructor(private readonly options: HostOptions) {
    this.config = options.config;
    this.ownState = new OwnStateReader(options.exportStack, this.say, (line) => {
      if (this.run().settings.debug()) log(line);
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
        return { id, outs: outputsOf(inputs, state) };
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
        const result = await this.run().update(this.savedIn(kind, id, olds), resourceOf(kind, news, id));
        return { outs: outputsOf(news, succeeded(result, news).state) };
      },
      delete: async (id, outputs) => {
        const saved = this.savedIn(kind, id, outputs);
        this.learnStack(saved);
        await this.run().delete(saved);
      },
    };
  }

  private async check(kind: JobKind, olds: Members, inputs: Members) {
    const exists = Object.keys(olds).length > 0;
    const [stack, news] = takeStack(inputs);
    this.ownState.stack = stack;
    const resource = { ...resourceOf(kind, news), urn: stack?.urn };
    if (stack !== undefined) this.urns.set(resource.key, stack.urn);
    this.isPreview = stack?.isPreview === true;
    const checked = await this.run().check(resource, exists ? olds : undefined);
    // The engine previews no create of a dynamic resource, so the check is where a preview can refuse it.
    const isForeseen = this.isPreview && !exists && checked.problems.length === 0;
    const problems = isForeseen ? await this.foreseen(resource) : checked.problems;
    // If `property` named an input, the engine would print its value, even a secret in clear text.
    const failures = problems.map((problem) => ({ property: "", reason: problem.toWellFormed() }));
    return { inputs: news, failures };
  }

  private async diff(kind: JobKind, id: string, olds: Members, news: Members): Promise<pulumi.dynamic.DiffResult> {
    const run = this.run();
    const saved = this.savedIn(kind, id, olds);
    const known = resourceOf(kind, news, id);
    const resource = { ...known, urn: this.urns.get(known.key) };
    const difference = await run.diff(saved, resource);
    if (this.isPreview && difference === "change") await run.foresee(resource, saved);
    // A refresh only displays the difference. If the mode can read jobs, reply `{}`: the engine then compares the
    // inputs itself, so the refresh shows what was changed at the service.
    if (difference === "refreshed") return run.rulesFor(saved.origin).canRead ? {} : { changes: false };
    if (difference === "none" && isOfPlugin(olds, news)) {
      run.sayOnce(...willRecordOnly(resource.label));
      return { changes: true };
    }
    // The engine keeps the outputs of a resource without a difference: a value that became secret would stay in clear.
    // The values arrive in clear, but the engine compares inputs with their marks if the reply leaves that to it.
    if (difference === "none" && hasSecret(news))
      return Object.keys(saved.declared).every((member) => saved.isPlain(member)) ? { changes: true } : {};
    return difference === "change" ? {} : { changes: difference === "update" };
  }

  /** A refresh and a destroy do not say which stack they are of: the stand-in of an unconfirmed create does. */
  private learnStack({ id, origin }: SavedResource): void {
    if (origin.outcome === "unconfirmed") this.ownState.stack ??= { id };
  }

  private async foreseen(resource: Resource): Promise<readonly string[]> {
    try {
      await this.run().foresee(resource);
      return [];
    } catch (error) {
      if (error instanceof RefusedError) return [error.message];
      throw error;
    }
  }

  /** @throws RefusedError if the state is not from this package. */
  private savedIn(kind: JobKind, id: string, outputs: Members): SavedResource {
    return savedOf(kind, id, outputs) ?? this.run().refuseState(labelOf(kind, outputs, id));
  }

  private readonly say = (line: string): void => {
    const { say } = this.options;
    if (say === undefined) process.stderr.write(`data-connectivity: ${line}\n`);
    else say(line);
  };

  private run(): Run {
    return (this.known ??= this.newRun());
  }

  private newRun(): Run {
    const { engine, environment, keptJobs = engine && keptJobsOfRun(engine) } = this.options;
    const settings = new Settings(this.config ?? { get: () => undefined }, environment);
    const { say } = this;
    const services = new Services(settings, { isEngineAlive: engineWatch(engine), log, ...this.options, say });
    const failure = (message: string, label: string) => new RefusedError(message, label);
    return new Run({ services, say, keptJobs, failure, ownState: this.ownState.read });
  }
}

/** @throws RecordedError if the run must fail and yet save the state: only this error makes the SDK's host do both. */
function succeeded(result: Done | Recorded, inputs: Members): Done {
  if (result.kind === "done") return result;
  throw new RecordedError(result, outputsOf(inputs, result.state));
}

/** Whether the plugin saved the state. Its states lack the `__provider` that the SDK needs for a refresh or destroy. */
const isOfPlugin = (olds: Members, news: Members): boolean => "__provider" in news && !("__provider" in olds);

const cancellation = new Cancellation();
const engine = engineAddress();
const host = new ProviderHost({
  engine,
  cancellation,
  exportStack: engine && exportWithCli,
});
const untilEnd = endAfterCalls(cancellation);

export function jobProvider(kind: JobKind): JobProvider {
  const provider = host.provider(kind);
  return {
    ...provider,
    create: (...args) => untilEnd(provider.create(...args)),
    read: (...args) => untilEnd(provider.read(...args)),
    update: (...args) => untilEnd(provider.update(...args)),
    delete: (...args) => untilEnd(provider.delete(...args)),
  };
}
