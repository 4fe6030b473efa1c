import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { startEmulator } from "../provider/src/testing/startEmulator.js";
import { spreadOf, type Spread } from "./measurements.js";
import type { Options } from "./options.js";

const programs = join(__dirname, "programs");

/** Milliseconds for all requests of a size. */
export type RawHttp = ReadonlyMap<number, Spread>;

/** Measures the HTTP client alone, in a process of its own, without that process's start. */
export async function measureRawHttp({ sizes, latencyMs }: Options): Promise<RawHttp> {
  const result = new Map<number, Spread>();
  const emulator = await startEmulator({ delayMs: latencyMs });
  try {
    for (const { jobs } of sizes) {
      const spread = await inRounds("rawHttp.cjs", {
        BENCH_JOBS: String(jobs),
        DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
        DATA_CONNECTIVITY_TOKEN: emulator.token,
      });
      if (spread !== undefined) result.set(jobs, spread);
    }
  } finally {
    await emulator.stop();
  }
  return result;
}

/** Milliseconds that the package takes to load in a provider process, on top of the SDK. */
export const measureLoadTime = (): Promise<Spread | undefined> => inRounds("loadTime.cjs", {});

async function inRounds(script: string, env: NodeJS.ProcessEnv): Promise<Spread | undefined> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [join(programs, script)], {
      cwd: resolve(__dirname, ".."),
      env: { ...process.env, ...env },
    });
    times.push(Number(stdout));
  }
  return spreadOf(times);
}
