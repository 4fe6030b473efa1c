import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startCommand, type CommandResult, type RunningCommand } from "../support/command.js";

const main = resolve(__dirname, "../../provider/bin/pulumi-data-connectivity.js");

/** A temporary folder to run the command in, isolated from the user's own settings. */
export class CliFolder {
  readonly path = mkdtempSync(join(tmpdir(), "data-connectivity-cli-"));

  write(name: string, text: string): string {
    const file = join(this.path, name);
    writeFileSync(file, text);
    return file;
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCommand {
    return startCommand(process.execPath, [main, ...args], { cwd: this.path, env: { ...cleanEnvironment(), ...env } });
  }

  run(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<CommandResult> {
    return this.start(args, env).finished;
  }

  /** Runs the command with a string on standard input, through a pipe. */
  pipe(input: string, args: readonly string[]): Promise<CommandResult> {
    const file = this.write("input.txt", input);
    return this.shell('cat "$FILE" | "$NODE" "$MAIN" "$@"', args, { FILE: file });
  }

  /** Runs a line of shell in which `"$NODE" "$MAIN" "$@"` is the command with its arguments. */
  shell(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
    return startCommand("sh", ["-c", script, "sh", ...args], {
      cwd: this.path,
      env: { ...cleanEnvironment(), NODE: process.execPath, MAIN: main, ...env },
    }).finished;
  }

  dispose(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function cleanEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(PULUMI|DATA_CONNECTIVITY|NODE_EXTRA|NODE_TLS|FORCE_COLOR)|_proxy$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** An unsigned JWT: the emulator accepts any text, and readers look only at the claims. */
export function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claims)}.signature`;
}
