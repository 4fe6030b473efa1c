import { spawn } from "node:child_process";
import { SettingsError } from "../config/index.js";
import { hiddenToken, redact } from "./redact.js";

const timeLimitMs = 30_000;
const outputLimit = 64 * 1024;

/**
 * Runs the command that prints a token, in the program's folder. Its stdout is the token and never shown; its stderr is
 * what the user needs when it fails.
 */
export async function runCredentialsCommand(command: string, from: string, limitMs = timeLimitMs): Promise<string> {
  const ran = await run(command, limitMs);
  const token = ran.stdout.trim();
  if (ran.fault === undefined && token !== "") return token;
  // Redacted before it is cut: half a token would not be found.
  const said = redact(ran.stderr, hiddenToken(token)).trim().slice(-500);
  throw new SettingsError(
    `The command of ${from} ${ran.fault ?? "printed nothing on its standard output"}.${said && ` It printed: "${said}".`}`,
    "Run the command by hand in the program's folder: it must print a token and nothing else.",
  );
}

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly fault: string | undefined;
}

function run(command: string, limitMs: number): Promise<Ran> {
  return new Promise((resolve) => {
    // A group of its own, so that what the shell started ends with it.
    const child = spawn(command, {
      shell: true,
      detached: process.platform !== "win32",
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    let fault: string | undefined;
    const end = (reason: string) => {
      fault ??= reason;
      kill(child.pid);
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(() => {
      end(`did not end within ${limitMs / 1000} s`);
    }, limitMs);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      if (stdout.length > outputLimit) end("printed more than 64 KiB");
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-outputLimit);
    });
    child.on("error", (error) => {
      fault ??= `could not be started (${error.message})`;
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (code !== 0) fault ??= code === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${code}`;
      resolve({ stdout, stderr, fault });
    });
  });
}

function kill(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
