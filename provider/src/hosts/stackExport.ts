import { execFile } from "node:child_process";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { commandOptions } from "../config/index.js";

/** Prints a stack's state: of the stack with this name or, without one, of the selected stack. Throws if it cannot. */
export type ExportStack = (name?: string) => Promise<string>;

/** Runs the CLI on PATH. If it fails, the error has the CLI's `stderr`, or the `code` ENOENT if there is none. */
export async function pulumi(args: readonly string[], env = process.env, cwd?: string): Promise<string> {
  const { stdout } = await promisify(execFile)("pulumi", [...args, "--non-interactive", "--color", "never"], {
    env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    timeout: 120_000,
    maxBuffer: 1024 * 1024 * 1024,
    ...(cwd !== undefined && { cwd }),
  });
  return stdout;
}

/** Asks in the folder and with the environment of the run's own CLI. */
export const exportWithCli: ExportStack = (name) =>
  // Without --show-secrets: nothing is decrypted.
  pulumi(["stack", "export", ...(name === undefined ? [] : ["--stack", name])], process.env, folderOfCli());

/**
 * The folder that the run's CLI runs in. With a relative address of the backend, or of a passphrase file, the CLI finds
 * the state from there alone. This process runs in the program's folder, which `main:` and a call from a subfolder make
 * another one. Linux tells it of the CLI's process. Elsewhere, the shell's folder is the CLI's as long as it is in the
 * same project, and as long as the CLI was not called with --cwd.
 */
export function folderOfCli(): string {
  const program = process.cwd();
  const project = projectOf(program);
  const ofShell = process.env["PWD"] ?? program;
  const ofCli = fromCli((folder) => readlinkSync(join(folder, "cwd")));
  return ofCli ?? (project !== undefined && projectOf(ofShell) === project ? ofShell : program);
}

/** Which stack the run's own CLI was told to use: undefined is the selected one. */
export interface StackOfCli {
  readonly name: string | undefined;
}

/** Undefined if this machine does not tell the arguments of the CLI's process, or if they may mean more than one thing. */
export const stackOfCli = (): StackOfCli | undefined =>
  fromCli((folder) => stackIn(readFileSync(join(folder, "cmdline"), "utf8").split("\0").slice(1, -1)));

let stackOptions: string | undefined;

/** The options with which a printed command is for the run's stack too, with a space before each. */
export const stackOptionsOfCli = (): string => (stackOptions ??= commandOptions({ stack: stackOfCli()?.name }));

/** Which stack a CLI with these arguments uses. */
export function stackIn(args: readonly string[]): StackOfCli | undefined {
  const options = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined);
  // `-ys dev` and `-Csome` are not taken apart.
  const at = options.findIndex((option) => /^(--stack(=|$)|-[^-]*s)/.test(option));
  const option = options[at];
  if (option === undefined) return { name: undefined };
  const [, joined] = /^(?:--stack=|-s=?)(.+)$/s.exec(option) ?? [];
  const name = joined ?? (["--stack", "-s"].includes(option) ? options[at + 1] : undefined);
  return name === undefined ? undefined : { name };
}

/**
 * What the folder in /proc tells of the nearest `pulumi` process above this one: a shell script may stand between.
 * Undefined if there is none.
 */
function fromCli<Told>(read: (folder: string) => Told, pid = process.ppid): Told | undefined {
  try {
    const [, name, parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    if (name === "pulumi") return read(`/proc/${pid}`);
    return Number(parent) > 1 ? fromCli(read, Number(parent)) : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of the nearest Pulumi.yaml. */
function projectOf(folder: string): string | undefined {
  if (["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].some((file) => existsSync(join(folder, file)))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : projectOf(parent);
}
