import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { Readable } from "node:stream";
import {
  Client,
  credentials,
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerUnaryCall,
} from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogSeverity, type LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { JsonObject } from "../../../provider/src/json.js";
import { start, stopLater } from "../emulated.js";
import type { TestServerOptions } from "../emulator/index.js";
import { secret } from "../plugin/inputs.js";
import { end } from "../processes.js";
import { callOver, ProviderCalls } from "./calls.js";

export type FakeEngine = Awaited<ReturnType<typeof startFakeEngine>>;

/** Starts the parts of an engine that a provider needs: an address and a log. `stopAll` stops it. */
export async function startFakeEngine() {
  const logged: { severity: string | undefined; message: string; urn: string }[] = [];
  const names = new Map(Object.entries(LogSeverity).map(([name, value]) => [value, name]));
  const server = new Server();
  server.addService(EngineService, {
    log: ({ request }: ServerUnaryCall<LogRequest, Empty>, done: sendUnaryData<Empty>) => {
      logged.push({ severity: names.get(request.getSeverity()), message: request.getMessage(), urn: request.getUrn() });
      done(null, new Empty());
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  /** Makes the engine look killed: nobody listens at its address, and no connection is open. */
  const kill = () => {
    server.forceShutdown();
  };
  const stop = async () => Promise.resolve().then(kill);
  return stopLater({ address: `127.0.0.1:${port}`, logged, kill, stop });
}

const support = resolve(__dirname, "..");
const workspace = resolve(support, "../..");
export const pluginMain = join(workspace, "provider/dist/hosts/plugin/main.js");

/** The classes' host is the SDK's dynamic provider. It never outlives the test's process. */
export type Host = "dynamic" | "plugin";

export interface ProcessOptions {
  /** Variables added to this process's own, without its own that would change a provider's requests. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** An engine that several processes share; by default a new engine. */
  readonly engine?: FakeEngine | undefined;
  /** The arguments of the plugin; by default the engine's address. */
  readonly args?: readonly string[];
  /** The plugin's file; by default the built one. */
  readonly main?: string | undefined;
  /** The folder that the classes' process runs in and resolves packages from; by default the workspace, with the build. */
  readonly cwd?: string;
  /** Loads the whole SDK, as users' processes do, instead of only what this repository's tests need. */
  readonly wholeSdk?: boolean;
}

/** A new folder for the notes of killed runs, which `stopAll` removes. Runs that share one know of each other's creates. */
export function temporaryFolder(onRemoved: () => void = () => undefined): string {
  const folder = mkdtempSync(join(tmpdir(), "provider-"));
  const stop = async () => {
    onRemoved();
    // Retries, because a process that is being killed may still write into it.
    await rm(folder, { recursive: true, force: true, maxRetries: 9 });
  };
  stopLater({ stop });
  return folder;
}

let temporary: string | undefined;

/** The folder of a test file, until `stopAll`. */
const ownTemporaryFolder = (): string =>
  (temporary ??= temporaryFolder(() => {
    temporary = undefined;
  }));

const cleanEnvironment = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(DATA_CONNECTIVITY_.*|(HTTPS?|ALL|NO)_PROXY)$/i.test(name)),
  ),
  TMPDIR: ownTemporaryFolder(),
});

/** The command that starts a host's process. The CLI on the plugin's PATH prints the state of a stack without resources. */
const commandFor = {
  plugin: ({ main = pluginMain }: ProcessOptions) => ({
    command: [main],
    env: { PATH: [join(support, "plugin/emptyStack"), process.env["PATH"]].join(delimiter) },
  }),
  dynamic: ({ wholeSdk = false }: ProcessOptions) => ({
    command: [
      ...(wholeSdk ? [] : ["--require", join(support, "hostPreload.cjs")]),
      require.resolve("@pulumi/pulumi/cmd/dynamic-provider"),
    ],
    env: {},
  }),
};

const limits = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

/** Starts a provider's process as an engine starts it; `stopAll` stops it and its engine. */
export async function startProcess(host: Host, options: ProcessOptions = {}): Promise<ProviderProcess> {
  const engine = options.engine ?? (await startFakeEngine());
  const { command, env } = commandFor[host](options);
  const { args = [engine.address], cwd = workspace } = options;
  const spawned = { cwd, env: { ...cleanEnvironment(), ...env, ...options.env }, windowsHide: true };
  const all = [...command, ...args];
  const child = spawn(process.execPath, all, { ...spawned, stdio: ["pipe", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended: Promise<readonly unknown[]> = once(child, "exit");
  const [first] = await Promise.race([once(child.stdout, "data"), ended.then(() => [""])]);
  const port = Number.parseInt(String(first));
  if (Number.isNaN(port)) throw new Error(`It ended before it accepted calls:\n${text}`);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), limits);
  const stop = async () => {
    client.close();
    child.kill("SIGKILL");
    await ended;
    if (options.engine === undefined) engine.kill();
  };
  stopLater({ stop });
  return new ProviderProcess(client, engine, {
    host,
    port,
    printed: () => text,
    kill: (signal) => void child.kill(signal),
    ended,
    stop,
  });
}

interface Started {
  readonly host: Host;
  readonly port: number;
  /** Everything that the process printed. */
  readonly printed: () => string;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** How the process ended: the exit code and the signal. */
  readonly ended: Promise<readonly unknown[]>;
  /** Ends the process and its engine, and so the run. */
  readonly stop: () => Promise<void>;
}

/** A provider's process under an engine's process. `stopAll` kills both. */
export async function startUnderEngine(host: Host, options: Pick<ProcessOptions, "env"> = {}) {
  // Without the tests' preload, which would end the process together with its engine.
  const { command, env } = commandFor[host]({ ...options, wholeSdk: true });
  const engine = spawn(process.execPath, [join(support, "driver/engineProcess.cjs"), ...command], {
    cwd: workspace,
    env: { ...cleanEnvironment(), ...env, ...options.env },
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const { stdout, stdio } = engine;
  const held = stdio[3];
  if (stdout === null || !(held instanceof Readable)) throw new Error("The engine's process lacks a descriptor.");
  const ended = once(held.resume(), "close");
  const told: readonly unknown[] = await once(stdout, "data");
  const [pid = 0, port = 0] = String(told[0]).split(" ").map(Number);
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), limits);
  const stop = async () => {
    client.close();
    engine.kill("SIGKILL");
    end([{ pid }]);
    await ended;
  };
  stopLater({ stop });
  return {
    provider: new ProviderCalls(callOver(client)),
    killEngine: () => engine.kill("SIGKILL"),
    /** Resolves when the provider's process and everything that it started have ended. */
    ended,
  };
}

/** A provider's process, as its engine sees it. */
export class ProviderProcess extends ProviderCalls {
  constructor(
    client: Client,
    readonly engine: FakeEngine,
    readonly process: Started,
  ) {
    super(callOver(client));
  }

  /** Everything that a user could read so far, apart from replies to the calls. The engine hides what a plugin prints. */
  said(): string {
    const { host, printed, port } = this.process;
    const shown = host === "dynamic" ? printed().replace(`${port}\n`, "") : "";
    return shown + this.engine.logged.map(({ message }) => message).join("\n");
  }

  /** The lines that the user sees, with the name of the resource for each. */
  get lines(): readonly string[] {
    return this.engine.logged.map(({ message, urn }) => `[${urn.split("::").pop() ?? ""}] ${message}`);
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}

/** A configured plugin's process, by default under the default provider's name. */
export async function startPlugin(config: JsonObject, { name, ...options }: ProcessOptions & { name?: string } = {}) {
  const plugin = await startProcess("plugin", options);
  await plugin.configure(config, name);
  return plugin;
}

/** A service, and a plugin that is configured for it; `run` starts another such plugin, for a later run or provider. */
export async function pluginAt(config: JsonObject = {}, options: TestServerOptions = {}) {
  const service = await start(options);
  const { baseUrl, token } = service;
  const run = (more: JsonObject = {}, of?: Parameters<typeof startPlugin>[1]) =>
    startPlugin({ baseUrl, token: secret(token), ...config, ...more }, of);
  return { service, plugin: await run(), run };
}
