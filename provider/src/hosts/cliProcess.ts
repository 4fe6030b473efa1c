import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { engineAddress, type EngineAddress } from "./engine.js";

/** The CLI whose engine started this process. */
export interface CliProcess {
  /** Starts the same program again, whatever its name is, and even if its file was replaced since. */
  readonly file: string;
  /** Its arguments, without its name. */
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** The commands in which the CLI starts a provider for a stack. A program that is run with none of them is not the Pulumi CLI. */
const commands: ReadonlySet<string> = new Set(
  "up update preview pre refresh destroy down dn import watch do".split(" "),
);

/**
 * The CLI, on Linux, where /proc shows processes. Undefined if this machine does not show it, or if the engine runs in
 * another program.
 */
export function cliProcess(engine = engineAddress()): CliProcess | undefined {
  const found = engine && engineAbove(engine);
  return found && quietly(() => shown(`/proc/${found.pid}`));
}

/** What tells the engine's process from all others of this machine and of other containers; undefined if not shown. */
export const engineProcess = (engine: EngineAddress): string | undefined => engineAbove(engine)?.identity;

interface EngineProcess {
  readonly pid: number;
  readonly identity: string | undefined;
}

/** By port: the search is slow, and its result stays the same after the engine has ended. */
const known = new Map<number, EngineProcess | undefined>();

function engineAbove({ port }: EngineAddress): EngineProcess | undefined {
  if (!known.has(port)) {
    const pid = quietly(() => listenerAbove(port));
    known.set(port, pid === undefined ? undefined : { pid, identity: quietly(() => identityOf(pid)) });
  }
  return known.get(port);
}

function identityOf(pid: number): string {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return [boot, readlinkSync("/proc/self/ns/pid"), pid, statOf(pid)[startedAt]].join();
}

/** The process above this one that listens at the engine's port. A language host or a shell may be in between. */
function listenerAbove(port: number): number | undefined {
  const sockets = listeningAt(port);
  for (let pid = sockets.size > 0 ? process.ppid : 0; pid > 0; pid = Number(statOf(pid)[parent]))
    if (hasOneOf(sockets, pid)) return pid;
  return undefined;
}

function shown(folder: string): CliProcess | undefined {
  const partsOf = (name: string) => readFileSync(`${folder}/${name}`, "utf8").split("\0").slice(0, -1);
  const args = partsOf("cmdline").slice(1);
  if (!args.some((arg) => commands.has(arg))) return undefined;
  const variables = partsOf("environ").map((entry) => {
    const at = entry.indexOf("=");
    return [entry.slice(0, at), entry.slice(at + 1)] as const;
  });
  return {
    file: `${folder}/exe`,
    args,
    folder: readlinkSync(`${folder}/cwd`),
    environment: Object.fromEntries(variables),
  };
}

/** The sockets that listen at a port, as the links in a process's folder `fd` name them. */
function listeningAt(port: number): ReadonlySet<string> {
  const address = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const tables = ["tcp", "tcp6"].map((name) => quietly(() => readFileSync(`/proc/self/net/${name}`, "utf8")) ?? "");
  const fields = tables.flatMap((table) => table.split("\n").map((line) => line.trim().split(/\s+/)));
  const listening = fields.filter(([, local = "", , state]) => local.endsWith(address) && state === "0A");
  return new Set(listening.map((field) => `socket:[${field[9] ?? ""}]`));
}

/** False for a process of another user, whose files are hidden. */
function hasOneOf(sockets: ReadonlySet<string>, pid: number): boolean {
  const folder = `/proc/${pid}/fd`;
  const names = quietly(() => readdirSync(folder)) ?? [];
  return names.some((name) => sockets.has(quietly(() => readlinkSync(`${folder}/${name}`)) ?? ""));
}

/** Two of the fields that {@link statOf} returns. */
const [parent, startedAt] = [1, 19];

/** The fields of a process's `stat` after its name, which may itself have spaces and parentheses. */
const statOf = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");

function quietly<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
