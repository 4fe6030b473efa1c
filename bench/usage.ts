import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";

const noteUsage = join(__dirname, "programs/usage.cjs");
const scripts = { program: /cmd[\\/]run\b/, provider: /cmd[\\/]dynamic-provider\b/ } as const;

/** What one process used. */
const usage = z.object({
  script: z.string(),
  cpuMs: z.number(),
  memoryMb: z.number(),
  /** What loading cost: of this package, of axios. */
  loads: z.array(z.object({ name: z.string(), cpuMs: z.number() })),
  /** Its first requests, from the call to the end of the reply. */
  requests: z.array(z.object({ path: z.string(), ms: z.number() })),
});
export type Usage = Omit<z.infer<typeof usage>, "script">;

/** Makes every Node process of a command write to a file what it used. */
export const usageEnvironment = (log: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--require ${JSON.stringify(noteUsage)}`,
  BENCH_USAGE: log,
});

/** What one of the processes used; undefined when it did not run. */
export function usageOf(log: string, process: keyof typeof scripts): Usage | undefined {
  if (!existsSync(log)) return undefined;
  const entries = readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => usage.parse(JSON.parse(line)));
  return entries.find(({ script }) => scripts[process].test(script));
}
