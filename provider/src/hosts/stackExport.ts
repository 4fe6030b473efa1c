import { execFile } from "node:child_process";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { commandOptions } from "../config/index.js";

/** Prints the state of the stack with this name or, without a name, of the selected stack. Throws if it cannot. */
export type ExportStack = (name?: string) => Promise<string>;

/** Runs the CLI on PATH. If it fails, the error has the CLI's `stderr`, or the `code` ENOENT if there is none. */
export async function pulumi(args: readonly string[], env = process.env, cwd?: string): Promise<string> {
  const { stdout } = await promisify(execFile)("pulumi", [...args, "--non-interactive", "--color", "never"], {
    // A new resource waits for this short process, which is a fifth faster if Go collects less garbage.
    env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true", GOGC: "400" },
    timeout: 120_000,
    maxBuffer: 1024 * 1024 * 1024,
    ...(cwd !== undefined && { cwd }),
  });
  return stdout;
}

/** Runs the CLI in the folder and with the environment of the run's own CLI. */
export const exportWithCli: ExportStack = (name) =>
  // Without --show-secrets: nothing is decrypted.
  pulumi(["stack", "export", ...(name === undefined ? [] : ["--stack", name])], process.env, folderOfCli());

/**
 * The folder that the run's CLI runs in. If the address of the backend or of a passphrase file is relative, the CLI finds
 * the state only from there. This process runs in the program's folder, which differs with `main:` or if the CLI was
 * called in a subfolder. On Linux, the CLI's process shows its folder. Elsewhere, this is the shell's folder if it is in
 * the same project, which is wrong if the CLI was called with --cwd.
 */
export function folderOfCli(): string {
  const program = process.cwd();
  const project = projectOf(program);
  const ofShell = process.env["PWD"] ?? program;
  const ofCli = fromCli((folder) => readlinkSync(join(folder, "cwd")));
  return ofCli ?? (project !== undefined && projectOf(ofShell) === project ? ofShell : program);
}

/** The stack that the run's own CLI uses. `name`: undefined for the selected stack. */
export interface StackOfCli {
  readonly name: string | undefined;
}

/** Undefined if this machine does not show the arguments of the CLI's process, or if they are ambiguous. */
export const stackOfCli = (): StackOfCli | undefined =>
  fromCli((folder) => stackIn(readFileSync(join(folder, "cmdline"), "utf8").split("\0").slice(1, -1)));

/** The options that make a printed command use the run's stack, each preceded by a space. */
export const stackOptionsOfCli = (): string => commandOptions({ stack: stackOfCli()?.name });

/** The stack that a CLI with these arguments uses; undefined if they are ambiguous. */
export function stackIn(args: readonly string[]): StackOfCli | undefined {
  const options = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined);
  // `-ys dev` and `-Csome` are not parsed: they count as ambiguous.
  const at = options.findIndex((option) => /^(--stack(=|$)|-[^-]*s)/.test(option));
  const option = options[at];
  if (option === undefined) return { name: undefined };
  const [, joined] = /^(?:--stack=|-s=?)(.+)$/s.exec(option) ?? [];
  const name = joined ?? (["--stack", "-s"].includes(option) ? options[at + 1] : undefined);
  return name === undefined ? undefined : { name };
}

/**
 * What the folder in /proc shows about the nearest `pulumi` process above this one: a shell script may be in between.
 * Undefined if there is none.
 */
function fromCli<Result>(read: (folder: string) => Result, pid = process.ppid): Result | undefined {
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
