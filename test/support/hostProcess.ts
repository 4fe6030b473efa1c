import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";

export interface HostProcessOptions {
  /** Where the process runs, and from where packages are resolved; by default the current folder. */
  readonly cwd?: string | undefined;
  /** Variables added to this process's environment; the value `undefined` removes a variable. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly engineAddress: string;
  /** Loads the whole SDK, as users' processes do, not only what this repository's tests need. */
  readonly wholeSdk?: boolean | undefined;
}

/** The SDK's dynamic-provider process, started as the engine starts it. It never outlives the test's process. */
export interface HostProcess {
  readonly pid: number;
  readonly port: number;
  /** What the process printed, without the first line, which is the port. */
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const preload = join(__dirname, "hostPreload.cjs");

export async function startHostProcess(options: HostProcessOptions): Promise<HostProcess> {
  const { cwd, env, engineAddress, wholeSdk = false } = options;
  const host = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
  const child = spawn(process.execPath, [...(wholeSdk ? [] : ["--require", preload]), host, engineAddress], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  const exited = once(child, "exit").then(
    () => undefined,
    () => undefined,
  );
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const port = await new Promise<number>((resolve, reject) => {
    const look = () => {
      const [line, ...rest] = stdout.text().split("\n");
      if (rest.length === 0) return;
      child.stdout.off("data", look);
      resolve(Number(line));
    };
    child.stdout.on("data", look);
    child.once("error", reject);
    child.once("close", () => {
      reject(new Error(`It ended before it accepted calls:\n${stderr.text()}`));
    });
  });
  letParentEnd(child);
  return {
    pid: child.pid ?? 0,
    port,
    stdout: () => stdout.text().replace(/^.*\n/, ""),
    stderr: stderr.text,
    kill: (signal) => void child.kill(signal),
    ended: exited,
    stop: async () => {
      child.ref();
      child.kill("SIGKILL");
      await exited;
    },
  };
}

function collect(stream: Readable): { text: () => string } {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return { text: () => text };
}

function letParentEnd(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}
