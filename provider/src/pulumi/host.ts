import type * as pulumi from "@pulumi/pulumi";
import { Services } from "../client/service.js";
import { Settings, type StackConfig } from "../config/index.js";
import type { Declaration, JobKind } from "../jobs/index.js";
import { check } from "../lifecycle/check.js";
import type { Context } from "../lifecycle/context.js";
import { create } from "../lifecycle/create.js";
import { remove } from "../lifecycle/delete.js";
import { diff } from "../lifecycle/diff.js";
import { read } from "../lifecycle/read.js";
import type { Outputs } from "../lifecycle/record.js";
import { update } from "../lifecycle/update.js";
import { engineWatch } from "./engineWatch.js";
import { RefreshDiffs } from "./refreshDiffs.js";

type JobProvider = pulumi.dynamic.ResourceProvider<Declaration, Outputs>;

/**
 * The engine's dynamic protocol on one side, the lifecycle on the other, for one process. All hooks exist: the host of
 * the SDK takes a missing `update` or `delete` for one that succeeded.
 */
class ProviderHost {
  private config: StackConfig | undefined;
  private known: Context | undefined;
  private readonly refreshDiffs = new RefreshDiffs();

  provider(kind: JobKind): JobProvider {
    return {
      // The SDK lets calls run before this has ended, and unconfigured after it has thrown: it only stores.
      configure: async (request) => {
        this.config ??= request.config;
      },
      check: async (olds, news) => {
        // A named property would make the engine print its value, secrets in clear.
        const failures = check(this.context(), kind, olds, news).map((reason) => ({ property: "", reason }));
        return { inputs: news, failures };
      },
      diff: async (id, olds, news) => {
        if (this.refreshDiffs.take(id, olds, news)) return { changes: false };
        return { changes: diff(this.context(), kind, id, olds, news) };
      },
      create: async (inputs) => {
        const { id, outputs } = await create(this.context(), kind, inputs);
        return { id, outs: outputs };
      },
      read: async (id, saved = {}) => {
        const { id: foundId, outputs } = read(this.context(), id, saved);
        this.refreshDiffs.expect(foundId);
        return { id: foundId, props: outputs };
      },
      update: async (id, olds, news) => ({ outs: await update(this.context(), kind, id, olds, news) }),
      delete: async (id, saved) => {
        remove(this.context(), kind, id, saved);
      },
    };
  }

  private context(): Context {
    return (this.known ??= newContext(this.config ?? { get: () => undefined }));
  }
}

function newContext(config: StackConfig): Context {
  const settings = new Settings(config);
  const said = new Set<string>();
  const say = (line: string) => process.stderr.write(`data-connectivity: ${line}\n`);
  return {
    settings,
    services: new Services({ isEngineAlive: engineWatch(), say, debug: settings.debug() }),
    ledger: { creates: new Map(), resends: new Map() },
    unconfirmed: new Map(),
    refused: new Set(),
    say,
    sayOnce(line) {
      if (!said.has(line)) say(line);
      said.add(line);
    },
  };
}

const host = new ProviderHost();

/** The dynamic provider of one kind of job. */
export const jobProvider = (kind: JobKind): JobProvider => host.provider(kind);
