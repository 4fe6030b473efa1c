import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { commandOptions } from "../config/index.js";
import type { RunCommand } from "../lifecycle/runTypes.js";
import { CliError, cliError } from "./cliOutput.js";
import { cliProcess, type CliProcess } from "./cliProcess.js";
import { commandIn } from "./cliCommand.js";

/**
 * Prints the state of the stack with this name or, without a name, of the selected stack.
 * @throws CliError if it cannot.
 */
export type ExportStack = (name?: string) => Promise<string>;

/** How a CLI is run. Without a file, the CLI on PATH. */
interface Start extends Partial<Pick<CliProcess, "file" | "folder">> {
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Runs a CLI and returns what it prints.
 * @throws CliError if it fails.
 */
export async function pulumi(
  args: readonly string[],
  { file = "pulumi", folder, environment }: Start,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(file, [...args, "--non-interactive", "--color", "never"], {
      // A new resource waits for this short process, which is a fifth faster if Go collects less garbage.
      env: { ...withoutOptions(environment), PULUMI_SKIP_UPDATE_CHECK: "true", GOGC: "400" },
      timeout: 120_000,
      maxBuffer: 1024 * 1024 * 1024,
      ...(folder !== undefined && { cwd: folder }),
    });
    return stdout;
  } catch (error) {
    const firstOption = args.findIndex((arg) => arg.startsWith("-"));
    const command = args.slice(0, firstOption < 0 ? undefined : firstOption).join(" ");
    // Node reports a missing folder as a missing program.
    if (folder !== undefined && !existsSync(folder))
      throw new CliError(`pulumi ${command} cannot run in ${folder}, which does not exist.`);
    throw cliError(command, error);
  }
}

/**
 * The variables that change what a CLI prints, or make it write logs and traces. `PULUMI_OPTION_<NAME>` sets an option of
 * every command that has one of this name, such as `--file` or `--show-secrets`.
 */
const changesOutput = /^(PULUMI_(OPTION|DEBUG|ENABLE|TRACING|OTEL|LOG|TEST)_.*|OTEL_.*|TRACEPARENT)$/i;

const withoutOptions = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !changesOutput.test(name)));

/** The value that the user's environment gives an option of the CLI; undefined for none. */
export const optionIn = (environment: NodeJS.ProcessEnv, name: "STACK" | "CWD" | "CONFIG_FILE"): string | undefined =>
  setIn(environment, `PULUMI_OPTION_${name}`);

const setIn = (environment: NodeJS.ProcessEnv, variable: string): string | undefined =>
  environment[variable] === "" ? undefined : environment[variable];

/** Runs the program of the run's own CLI, in its folder and with its environment. */
export const exportWithCli: ExportStack = (name) => {
  const cli = cliProcess() ?? { environment: process.env, folder: folderOfShell() };
  const stack = name ?? chosenIn(cli.environment);
  // Without --show-secrets: nothing is decrypted.
  return pulumi(["stack", "export", ...(stack === undefined ? [] : ["--stack", stack])], cli);
};

/**
 * The folder that the run's CLI runs in. If the address of the backend or of a passphrase file is relative, the CLI finds
 * the state only from there. This process runs in the program's folder, which differs with `main:` or if the CLI was
 * called in a subfolder.
 */
export const folderOfCli = (): string => cliProcess()?.folder ?? folderOfShell();

/**
 * Where the CLI's process is not shown: the shell's folder if it is in the same project, which is wrong if the CLI was
 * called with --cwd.
 */
function folderOfShell(): string {
  const program = process.cwd();
  const project = projectOf(program);
  const ofShell = resolve(process.env["PWD"] ?? program, optionIn(process.env, "CWD") ?? ".");
  return project !== undefined && projectOf(ofShell) === project ? ofShell : program;
}

/** The arguments of the CLI that runs this process's engine; undefined if they are not known. */
export const argumentsOfCli = (): readonly string[] | undefined => cliProcess()?.args;

/** The stack that the run's own CLI uses. `name`: undefined for the selected stack. */
export interface StackOfCli {
  readonly name: string | undefined;
}

/** Undefined if this machine does not show the arguments of the CLI's process, or if they are ambiguous. */
export function stackOfCli(): StackOfCli | undefined {
  const cli = cliProcess();
  const found = cli && stackIn(cli.args);
  return cli && found && { name: found.name ?? chosenIn(cli.environment) };
}

/** The stack that the environment chooses, for a CLI that is not given one. The option comes first, as in the CLI. */
export const chosenIn = (environment: NodeJS.ProcessEnv): string | undefined =>
  optionIn(environment, "STACK") ?? setIn(environment, "PULUMI_STACK");

/** The command of the run's own CLI. */
export const commandOfCli = (): RunCommand => commandIn(argumentsOfCli(), cliProcess()?.environment ?? process.env);

/**
 * The options that make a printed command use the run's stack, each preceded by a space. `ofRun`: the stack's name by the
 * engine, for a CLI whose arguments are ambiguous, or not shown as outside Linux: another stack may be selected.
 */
export function stackOptionsOfCli(ofRun: string | undefined): string {
  const ofCli = stackOfCli();
  const isUnknown = ofCli === undefined && (cliProcess() !== undefined || process.platform !== "linux");
  const ofEngine = ofRun === "" ? undefined : ofRun;
  return commandOptions({ stack: isUnknown ? ofEngine : ofCli?.name });
}

/** The stack that a CLI with these arguments uses; undefined if they are ambiguous. */
export function stackIn(args: readonly string[]): StackOfCli | undefined {
  const options = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined);
  // `-ys dev` and `-Csome` are not parsed: they count as ambiguous.
  // As for the CLI, the last one counts.
  const at = options.map((option) => /^(--stack(=|$)|-[^-]*s)/.test(option)).lastIndexOf(true);
  const option = options[at];
  if (option === undefined) return { name: undefined };
  const [, joined] = /^(?:--stack=|-s=?)(.+)$/s.exec(option) ?? [];
  const name = joined ?? (["--stack", "-s"].includes(option) ? options[at + 1] : undefined);
  return name === undefined ? undefined : { name };
}

/** The folder of the nearest Pulumi.yaml. */
function projectOf(folder: string): string | undefined {
  if (["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].some((file) => existsSync(join(folder, file)))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : projectOf(parent);
}
