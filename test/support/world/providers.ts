import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { listCall } from "../../../provider/src/hosts/plugin/listCall.js";
import type { Calls } from "../../../provider/src/hosts/plugin/calls.js";
import { processCalls } from "../../../provider/src/hosts/plugin/processCalls.js";
import { resourceCalls } from "../../../provider/src/hosts/plugin/resourceCalls.js";
import { PluginRun } from "../../../provider/src/hosts/plugin/run.js";
import { commandIn } from "../../../provider/src/hosts/cliCommand.js";
import { removedAtEnd, removedByEngine } from "../../../provider/src/hosts/keptJobs.js";
import type { KeptJobs } from "../../../provider/src/lifecycle/inventory/memory.js";
import { ofPlugin, providerOver } from "../all/hosts.js";
import { runInDynamicHost } from "../all/inDynamicHost.js";
import type { Config } from "../all/runOptions.js";
import type { RunProvider } from "../all/runProvider.js";
import { ProviderCalls, struct } from "../driver/calls.js";
import type { Machine } from "./machine.js";
import type { Network } from "./network.js";
import { providerName, providerUrn } from "./state.js";
import { clockOf, type Actor, type CommandEvents, type Timeline } from "./timeline.js";

export type Host = "dynamic" | "plugin";

/** A provider's process of one command. */
export interface ProviderProcess extends Actor {
  readonly calls: Omit<RunProvider, "end">;
  /** What the engine sends on Ctrl-C. The classes' host does not pass it on. */
  readonly cancel: () => void;
  /** Resolves when the process is killed. */
  readonly gone: Promise<undefined>;
  /** Kills it. */
  readonly kill: () => void;
  /** Ends it, as the engine does at the end of a command: it removes its own notes. */
  readonly end: () => void;
}

export interface ProviderOptions {
  readonly timeline: Timeline;
  readonly network: Network;
  readonly machine: Machine;
  readonly command: CommandEvents;
  readonly host: Host;
  readonly name: string;
  readonly config: Config;
  readonly env: Readonly<Record<string, string>>;
  readonly isPreview: boolean;
  /** The arguments of the CLI. */
  readonly args: readonly string[];
  readonly keptJobs: KeptJobs;
  readonly exportStack: (actor: Actor) => Promise<string>;
  readonly isEngineAlive: () => boolean;
  /** The engine's port, which no other command has. */
  readonly port: number;
  readonly say: (line: string) => void;
}

/** Starts a provider's process, as the engine does for each provider of a command. */
export async function startProvider(options: ProviderOptions): Promise<ProviderProcess> {
  const { machine, command, timeline, network, say } = options;
  let gone: () => void = () => undefined;
  const actor: Actor = { machine, command, isAlive: true };
  const common = {
    clock: clockOf(timeline, actor),
    transport: network.transportOf(actor),
    command: commandIn(options.args, { PULUMI_BACKEND_URL: "file:///state" }),
    keptJobs: options.keptJobs,
    exportStack: () => options.exportStack(actor),
    isEngineAlive: () => Promise.resolve(options.isEngineAlive()),
    report: ({ text }: { readonly text: string }) => {
      if (actor.isAlive) say(text);
    },
  };
  const started = options.host === "plugin" ? await startPlugin(options, common) : startClasses(options, common);
  return Object.assign(actor, {
    ...started,
    gone: new Promise<undefined>((resolve) => {
      gone = () => {
        resolve(undefined);
      };
    }),
    kill: () => {
      actor.isAlive = false;
      gone();
    },
    end: () => {
      actor.isAlive = false;
      for (const [path, { writtenBy }] of machine.files)
        if (writtenBy === command && (removedAtEnd.has(path) || removedByEngine.has(path))) machine.files.delete(path);
    },
  });
}

interface Common {
  readonly isEngineAlive: () => Promise<boolean>;
  readonly report: (finding: { readonly text: string }) => void;
}

type RunOptions = Required<ConstructorParameters<typeof PluginRun>>[1];

async function startPlugin({ env, name, config, port }: ProviderOptions, common: RunOptions & Common) {
  const run = new PluginRun(
    {
      connect: () => undefined,
      isAlive: common.isEngineAlive,
      report: common.report,
      answer: async (_urn, call) => call(),
    },
    common,
  );
  run.attach(`127.0.0.1:${port}`);
  const handlers: Calls = { ...processCalls(run, env), ...resourceCalls(run), ...listCall(run) };
  const calls = new ProviderCalls(async (call, request) => handlers[call](request));
  const request = new messages.ConfigureRequest().setArgs(struct(ofPlugin.settings(config)));
  request.setName(providerName(name)).setUrn(providerUrn(name));
  await calls.call("configure", request);
  const cancel = () => {
    void calls.cancel();
  };
  return { calls: providerOver(calls, ofPlugin), cancel };
}

function startClasses(
  { env, config, port, isPreview }: ProviderOptions,
  common: Parameters<typeof runInDynamicHost>[1],
) {
  const engine = { host: "127.0.0.1", port };
  const calls = runInDynamicHost(config, { ...common, env, engine, isPreview });
  return { calls, cancel: () => undefined };
}
