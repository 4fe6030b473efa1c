import type * as pulumi from "@pulumi/pulumi";
import { Services } from "../client/service.js";
import { Settings, type StackConfig } from "../config/index.js";
import type { Declaration, JobKind } from "../jobs/index.js";
import { check } from "../lifecycle/check.js";
import { operationsFor, type Context } from "../lifecycle/context.js";
import { create } from "../lifecycle/create.js";
import { remove } from "../lifecycle/delete.js";
import { diff } from "../lifecycle/diff.js";
import { read } from "../lifecycle/read.js";
import { readSaved, type Outputs } from "../lifecycle/record.js";
import { update } from "../lifecycle/update.js";
import { unknownValue } from "../unknown.js";
import { engineWatch } from "./engineWatch.js";
import { RefreshDiffs } from "./refreshDiffs.js";
import { whyUnrecordable } from "./sdkHost.js";

const seeds: ReadonlySet<string> = new Set(["job", "origin"]);

/** What the process of the provider gets from outside. */
export interface HostOptions {
  readonly isEngineAlive: () => Promise<boolean>;
  /** By default that of the first `configure`. */
  readonly config?: StackConfig;
  readonly environment?: NodeJS.ProcessEnv;
}

type JobProvider = Required<pulumi.dynamic.ResourceProvider<Declaration, Outputs>>;

/**
 * The engine's dynamic protocol on one side, the lifecycle on the other, for one process. All hooks exist: the host of
 * the SDK takes a missing `update` or `delete` for one that succeeded.
 */
export class ProviderHost {
  private config: StackConfig | undefined;
  private known: Context | undefined;
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
      check: async (olds, news) => {
        const { problems, jobOperations } = check(this.context(), kind, olds, news);
        // A named property would make the engine print its value, secrets in clear.
        const failures = problems.map((reason) => ({ property: "", reason }));
        const exists = Object.keys(olds).length > 0;
        return { inputs: exists && jobOperations === "all" ? withoutSeeds(olds, news) : news, failures };
      },
      diff: async (id, olds, news) => {
        const refreshed = this.refreshDiffs.take(id, news);
        // Without an answer the engine compares the inputs itself: a refresh then shows what was changed at the service.
        if (refreshed) return this.readsBack(olds) ? {} : { changes: false };
        const difference = diff(this.context(), kind, id, olds, news);
        return difference === "byInputs" ? {} : { changes: difference === "update" };
      },
      create: async (inputs) => {
        const { id, outputs } = await create(this.context(), kind, inputs);
        return { id, outs: outputs };
      },
      read: async (id, saved = {}) => {
        const found = await read(this.context(), kind, id, saved);
        if (found === undefined) return {};
        this.refreshDiffs.expect(found.id, saved);
        return { id: found.id, props: found.outputs, ...(found.inputs && { inputs: found.inputs }) };
      },
      update: async (id, olds, news) => ({ outs: await update(this.context(), kind, id, olds, news) }),
      delete: async (id, saved) => {
        await remove(this.context(), kind, id, saved);
      },
    };
  }

  /** Whether a refresh asks the service for this job. */
  private readsBack(outputs: Outputs): boolean {
    const saved = readSaved(outputs);
    return saved !== undefined && operationsFor(this.context(), saved.origin) === "all";
  }

  private context(): Context {
    return (this.known ??= newContext(this.config ?? { get: () => undefined }, this.options));
  }
}

function newContext(config: StackConfig, { isEngineAlive, environment }: HostOptions): Context {
  const settings = new Settings(config, environment);
  const said = new Set<string>();
  const say = (line: string) => process.stderr.write(`data-connectivity: ${line}\n`);
  return {
    settings,
    services: new Services({ isEngineAlive, say, debug: settings.debug() }),
    ledger: { creates: new Map(), resends: new Map() },
    unconfirmed: new Map(),
    refused: new Set(),
    unrecordable: whyUnrecordable(),
    say,
    sayOnce(line) {
      if (!said.has(line)) say(line);
      said.add(line);
    },
  };
}

/**
 * Unknown seeds would show in the preview of each change. Without them the program sees both members as unknown all the
 * same, but for one that the state has, as it has an empty secret `job` beside secret params: it would be read as null.
 */
const withoutSeeds = (olds: Declaration, news: Declaration): Declaration =>
  Object.fromEntries(
    Object.entries(news).filter(([member, value]) => !seeds.has(member) || value !== unknownValue || member in olds),
  );

const host = new ProviderHost({ isEngineAlive: engineWatch() });

/** The dynamic provider of one kind of job. */
export const jobProvider = (kind: JobKind): JobProvider => host.provider(kind);
