import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { engineAddress } from "./engine.js";

/** The CLI whose engine started this process. */
export interface CliProcess {
  /** Starts the same program again, whatever its name is, and even if its file was replaced since. */
  readonly file: string;
  /** Its arguments, without its name. */
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** The commands in which the CLI starts a provider for a stack. A program without one of them is no Pulumi CLI. */
const commands = new Set(
  ["up", "update", "preview", "pre", "refresh", "destroy", "down", "dn", "import", "watch", "do"], // prettier-ignore
);

/**
 * Finds the CLI on Linux, where /proc shows processes: the process above this one that listens at the engine's address.
 * A language host or a shell may be in between. Undefined if this machine does not show it.
 */
export function cliProcess(engine = engineAddress()): CliProcess | undefined {
  return quietly(() => {
    const sockets = engine === undefined ? new Set<string>() : listeningAt(engine.port);
    for (let pid = sockets.size > 0 ? process.ppid : 0; pid > 0; pid = parentOf(pid))
      if (hasOneOf(sockets, pid)) return shown(pid);
    return undefined;
  });
}

function shown(pid: number): CliProcess | undefined {
  const folder = `/proc/${pid}`;
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

const parentOf = (pid: number): number =>
  Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1] ?? 0);

function quietly<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
