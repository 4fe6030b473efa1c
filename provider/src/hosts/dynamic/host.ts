import type * as pulumi from "@pulumi/pulumi";
import { Cancellation } from "../../client/waits.js";
import { wellFormed } from "../../client/reply.js";
import { Services } from "../../client/service.js";
import { Settings, type StackConfig } from "../../config/index.js";
import type { JobKind } from "../../jobs/index.js";
import * as lifecycle from "../../lifecycle/index.js";
import { notOurState, willRecordOnly } from "../../lifecycle/messages.js";
import { unknownValue } from "../../unknown.js";
import { RunClaims } from "../claims/claims.js";
import { engineAddress, engineWatch, debugLog } from "../engine.js";
import { RefreshDiffs } from "../refreshDiffs.js";
import { DelayedEnd, RecordedError, RefusedError, whyUnrecordable } from "./sdkHost.js";
import {
  labelOf,
  takeMistakes,
  withOthers,
  type Members,
  inputsOf,
  outputsOf,
  resourceOf,
  savedOf,
} from "./identity.js";

/** What the process of the provider gets from outside. */
export interface HostOptions {
  readonly isEngineAlive: () => Promise<boolean>;
  readonly cancellation?: Cancellation;
  /** By default that of the first `configure`. */
  readonly config?: StackConfig;
  readonly environment?: NodeJS.ProcessEnv;
}

type JobProvider = Required<pulumi.dynamic.ResourceProvider<Members, Members>>;

/**
 * The engine's dynamic protocol on one side, the lifecycle on the other, for one process. All hooks exist: the host of
 * the SDK takes a missing `update` or `delete` for one that succeeded.
 */
export class ProviderHost {
  private config: StackConfig | undefined;
  private known: lifecycle.Context | undefined;
  private readonly refreshDiffs = new RefreshDiffs();

  constructor(private readonly options: HostOptions) {
    this.config = options.config;
  }

  provider(kind: JobKind): JobProvider {
    return {
      // The SDK lets calls run before this has ended, and unconfigured after it has thrown: it only stores.
      configure: async (request) => {
        this.config ??= request.config;
      },
      check: async (olds, news) => this.check(kind, olds, news),
      diff: async (id, olds, news) => this.diff(kind, id, olds, news),
      create: async (inputs) => {
        const resource = resourceOf(kind, inputs);
        const result = await lifecycle.create(this.context(), resource);
        const { id, state } = succeeded(result, resource.label, inputs);
        return { id, outs: outputsOf(inputs, state) };
      },
      read: async (id, outputs = {}) => {
        const saved = savedOf(kind, id, outputs);
        // A state that was edited by hand stays as it is: a refresh must not fail for it.
        if (saved === undefined) return { id, props: outputs };
        const found = await lifecycle.read(this.context(), saved);
        if (found.kind === "gone") return {};
        if (found.kind === "refused") throw new RefusedError(found, saved.label);
        this.refreshDiffs.expect(found.id, saved.declared);
        const inputs = found.hasDrifted ? { inputs: inputsOf(outputs, found.state) } : {};
        return { id: found.id, props: outputsOf(outputs, found.state), ...inputs };
      },
      update: async (id, olds, news) => {
        const resource = resourceOf(kind, news, id);
        const result = await lifecycle.update(this.context(), savedOr(kind, id, olds), resource);
        return { outs: outputsOf(news, succeeded(result, resource.label, news).state) };
      },
      delete: async (id, outputs) => {
        const saved = savedOr(kind, id, outputs);
        const result = await lifecycle.remove(this.context(), saved);
        if (result.kind === "refused") throw new RefusedError(result, saved.label);
      },
    };
  }

  private check(kind: JobKind, olds: Members, inputs: Members) {
    const exists = Object.keys(olds).length > 0;
    const [mistakes, news] = takeMistakes(inputs);
    const { problems, account } = mistakes.isUnsupported
      ? { problems: mistakes.own, account: undefined }
      : lifecycle.check(this.context(), resourceOf(kind, news), !exists);
    // A named property would make the engine print its value, secrets in clear.
    const reasons = withOthers(problems, mistakes).map(wellFormed);
    const failures = reasons.map((reason) => ({ property: "", reason }));
    const isShown = exists && account?.mode.canChange === true;
    return { inputs: isShown ? withoutPlaceholders(olds, news) : news, failures };
  }

  private async diff(kind: JobKind, id: string, olds: Members, news: Members): Promise<pulumi.dynamic.DiffResult> {
    const resource = resourceOf(kind, news, id);
    const saved = savedOr(kind, id, olds);
    // Without an answer the engine compares the inputs itself: a refresh then shows what was changed at the service.
    if (this.refreshDiffs.take(id, resource.declared))
      return lifecycle.rulesFor(this.context(), saved).canRead ? {} : { changes: false };
    const difference = await lifecycle.diff(this.context(), saved, resource);
    if (difference.kind === "refused") throw new RefusedError(difference, resource.label);
    if (difference.kind === "none" && isOfPlugin(olds, news)) {
      this.context().sayOnce(willRecordOnly(resource.label));
      return { changes: true };
    }
    return difference.kind === "change" ? {} : { changes: difference.kind === "update" };
  }

  private context(): lifecycle.Context {
    return (this.known ??= newContext(this.config ?? { get: () => undefined }, this.options));
  }
}

/** @throws RefusedError for a state that is not ours. */
function savedOr(kind: JobKind, id: string, outputs: Members): lifecycle.SavedResource {
  const saved = savedOf(kind, id, outputs);
  if (saved !== undefined) return saved;
  const label = labelOf(kind, outputs, id);
  throw new RefusedError({ message: `${label}: ${notOurState}` }, label);
}

/** @throws RefusedError, RecordedError: the forms in which the SDK's host takes what did not succeed. */
function succeeded(result: lifecycle.Result, label: string, inputs: Members): lifecycle.Done {
  if (result.kind === "refused") throw new RefusedError(result, label);
  if (result.kind === "recorded") throw new RecordedError(result, outputsOf(inputs, result.state));
  return result;
}

function newContext(
  config: StackConfig,
  { isEngineAlive, environment, cancellation = new Cancellation() }: HostOptions,
): lifecycle.Context {
  const settings = new Settings(config, environment);
  const say = (line: string) => process.stderr.write(`data-connectivity: ${line}\n`);
  const services = new Services({
    isEngineAlive,
    cancellation,
    say,
    log: debugLog(settings),
    claims: new RunClaims(say),
  });
  // The class fails the program for what is recorded.
  return lifecycle.newContext({ settings, services, unrecordable: whyUnrecordable(), mayRepeat: 0, say });
}

/** A state of the plugin lacks what the SDK loads a provider from in each later refresh and destroy. */
const isOfPlugin = (olds: Members, news: Members): boolean => "__provider" in news && !("__provider" in olds);

const placeholders: ReadonlySet<string> = new Set(["job", "origin"]);

/**
 * Unknown placeholders would show in the preview of each change. Without them the program sees both members as unknown all the
 * same, but for one that the state has, as it has an empty secret `job` beside secret params: it would be read as null.
 */
const withoutPlaceholders = (olds: Members, news: Members): Members =>
  Object.fromEntries(
    Object.entries(news).filter(
      ([member, value]) => !placeholders.has(member) || value !== unknownValue || member in olds,
    ),
  );

const cancellation = new Cancellation();
const host = new ProviderHost({ isEngineAlive: engineWatch(engineAddress()), cancellation });
const ending = new DelayedEnd(cancellation);

/** The dynamic provider of one kind of job. */
export function jobProvider(kind: JobKind): JobProvider {
  const provider = host.provider(kind);
  return {
    ...provider,
    create: (...args) => ending.after(provider.create(...args)),
    read: (...args) => ending.after(provider.read(...args)),
    update: (...args) => ending.after(provider.update(...args)),
    delete: (...args) => ending.after(provider.delete(...args)),
  };
}
