import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startCommand, type CommandResult, type RunningCommand } from "../support/command.js";
import { settingsFor } from "../support/emulated.js";
import { runHere } from "./here.js";

export const main = resolve(__dirname, "../../provider/bin/pulumi-data-connectivity.js");

const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** What a command printed. */
export interface Printed extends Pick<CommandResult, "exitCode" | "stdout" | "stderr"> {
  /** The lines of stdout, trimmed, with ` | ` between columns. */
  readonly lines: readonly string[];
}

/** A folder to run the command in, isolated from the user's own settings. It is removed after the test file. */
export class CliFolder {
  readonly path = mkdtempSync(join(tmpdir(), "data-connectivity-cli-"));
  /** The environment of every run in this folder. */
  readonly env: NodeJS.ProcessEnv = cleanEnvironment();

  constructor() {
    made.push(this.path);
  }

  write(name: string, text: string | Uint8Array): string {
    const file = join(this.path, name);
    writeFileSync(file, text);
    return file;
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCommand {
    return startCommand(process.execPath, [main, ...args], { cwd: this.path, env: { ...this.env, ...env } });
  }

  /** Runs the command in this process. */
  run(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Printed> {
    return this.here(args, env);
  }

  /** Runs the command in this process, with a string on standard input. */
  pipe(stdin: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Printed> {
    return this.here(args, env, stdin);
  }

  private async here(args: readonly string[], env?: NodeJS.ProcessEnv, stdin?: string): Promise<Printed> {
    const given = { env: { ...this.env, ...env }, folder: this.path, ...(stdin !== undefined && { stdin }) };
    return withLines(await runHere(args, given));
  }

  /** Runs the command in a process of its own. */
  async spawn(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Printed> {
    return withLines(await this.start(args, env).finished);
  }

  /** Runs the command in a process of its own, with a string on standard input, through a pipe. */
  spawnPiped(input: string | Uint8Array, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Printed> {
    const file = this.write("input.txt", input);
    return this.shell('cat "$FILE" | "$NODE" "$MAIN" "$@"', args, { ...env, FILE: file });
  }

  /** Runs a line of shell in which `"$NODE" "$MAIN" "$@"` is the command with its arguments. */
  async shell(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Printed> {
    const { finished } = startCommand("sh", ["-c", script, "sh", ...args], {
      cwd: this.path,
      env: { ...this.env, NODE: process.execPath, MAIN: main, ...env },
    });
    return withLines(await finished);
  }
}

const withLines = (result: Omit<Printed, "lines">): Printed => ({
  ...result,
  lines: result.stdout.split("\n").map((line) => line.trim().replace(/ {2,}/g, " | ")),
});

function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(PULUMI|DATA_CONNECTIVITY|NODE_EXTRA|NODE_TLS|FORCE_COLOR)|_proxy$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** A project with a fake CLI that prints this configuration and this stack export (default: no resources). */
export function configuredProject(values: Readonly<Record<string, string>>, exported = '{"deployment":{}}'): CliFolder {
  const entries = Object.entries(values).map(([key, value]) => [key, { value, secret: false }]);
  const project = new CliFolder();
  // No other Pulumi CLI is on this PATH.
  project.env["PATH"] = `${project.path}/bin:/usr/bin:/bin`;
  project.write("Pulumi.yaml", "name: p\nruntime: nodejs\n");
  project.write("config.json", JSON.stringify(Object.fromEntries(entries)));
  project.write("stack.json", exported);
  mkdirSync(`${project.path}/bin`);
  chmodSync(project.write("bin/pulumi", '#!/bin/sh\ncat "$(dirname "$0")/../$1.json"\n'), 0o755);
  return project;
}

interface Address {
  readonly baseUrl: string;
  readonly token: string;
}

/** The settings of an account or a provider of its own, without a token in plain text. */
export const ownSettings = ({ baseUrl, token }: Address) => ({ baseUrl, credentialsCommand: `echo ${token}` });

/** The stack configuration of named accounts. */
export const configOf = (accounts: object) => ({ "data-connectivity:accounts": JSON.stringify(accounts) });

export const allOperations = { "data-connectivity:jobOperations": "all" };

/** Runs the doctor. In `lines`, each run of spaces is one space, so that tests do not depend on the alignment. */
export const examine = async (folder: CliFolder, env?: NodeJS.ProcessEnv, args: readonly string[] = []) =>
  withSingleSpaces(await folder.run(["doctor", ...args], env));

/** The same in a process of its own: for what only a process has, such as its working directory and its proxies. */
export const examineInProcess = async (folder: CliFolder, env?: NodeJS.ProcessEnv, args: readonly string[] = []) =>
  withSingleSpaces(await folder.spawn(["doctor", ...args], env));

function withSingleSpaces(result: Printed): Printed {
  return { ...result, lines: result.stdout.split("\n").map((line) => line.trim().replace(/ +/g, " ")) };
}

export interface ServiceInput {
  readonly args?: readonly string[];
  readonly config?: Readonly<Record<string, string>>;
  /** The environment instead of the service's address and token. */
  readonly env?: NodeJS.ProcessEnv;
  /** The export of a stack, for standard input. */
  readonly stack?: string;
}

/** What `jobs --at-service` prints in a project that allows all job operations, unless `config` says otherwise. */
export function askService(
  service: Address,
  { args = [], config = allOperations, stack, env = settingsFor(service) }: ServiceInput = {},
): Promise<Printed> {
  const project = configuredProject(config);
  if (stack === undefined) return project.run(["jobs", "--at-service", ...args], env);
  return project.pipe(stack, ["jobs", "--at-service", "-", ...args], env);
}
