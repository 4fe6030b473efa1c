import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Usage } from "./measurements.js";

const noteUsage = join(__dirname, "programs/usage.cjs");
const scripts = { program: /cmd[\\/]run\b/, provider: /cmd[\\/]dynamic-provider\b/ } as const;

/** Makes every Node process of a command write to a file what it used. */
export const usageEnvironment = (log: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--require ${JSON.stringify(noteUsage)}`,
  BENCH_USAGE: log,
});

/** What one of the processes used; undefined when it did not run. */
export function usageOf(log: string, process: keyof typeof scripts): Usage | undefined {
  if (!existsSync(log)) return undefined;
  for (const line of readFileSync(log, "utf8").trim().split("\n")) {
    const entry: unknown = JSON.parse(line);
    if (isEntry(entry) && scripts[process].test(entry.script)) return { cpuMs: entry.cpuMs, memoryMb: entry.memoryMb };
  }
  return undefined;
}

function isEntry(value: unknown): value is Usage & { readonly script: string } {
  return typeof value === "object" && value !== null && "script" in value && typeof value.script === "string";
}
