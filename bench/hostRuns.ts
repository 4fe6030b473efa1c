import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as declarations from "./programs/declare.cjs";
import { startDynamicProcess, type DynamicProcess } from "../provider/src/testing/dynamicProcess.js";
import { startEmulator } from "../provider/src/testing/startEmulator.js";
import type { JsonObject } from "../provider/src/json.js";
import { commands, mostAtOnce, type Command, type Measurement } from "./measurements.js";
import type { Options, Variant } from "./options.js";
import { usageEnvironment, usageOf } from "./usage.js";

const atOnce = 8;
const floorProvider = JSON.stringify(join(__dirname, "programs/floorProvider.cjs"));
const handlers: Readonly<Partial<Record<Variant, string>>> = {
  ours: 'exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").cachingJob',
  floor: `exports.handler=()=>require(${floorProvider}).floorJob`,
};

interface Resource {
  readonly id: string;
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
}

/** Makes the calls of each command to the SDK's own provider process, without a program and without state. */
export async function measureHost(
  options: Options,
  say: (line: string) => void,
  interrupted: AbortSignal,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const { jobs, rounds } of options.sizes) {
    for (let round = 1; round <= rounds; round += 1) {
      for (const variant of options.variants) {
        const handler = handlers[variant];
        if (handler === undefined || interrupted.aborted) continue;
        for (const measured of await measureCommands(handler, jobs, options)) {
          measurements.push({ variant, jobs, round, checkpoints: "skipped", ...measured });
        }
        say(`${jobs} jobs, round ${round} of ${rounds}: ${variant}`);
      }
    }
  }
  return measurements;
}

type Measured = Pick<Measurement, "command" | "ms" | "requests" | "mostAtOnce" | "provider">;

async function measureCommands(handler: string, jobs: number, { latencyMs }: Options): Promise<Measured[]> {
  const emulator = await startEmulator({ delayMs: latencyMs });
  const declared = Array.from({ length: jobs }, (_, n) => ({ ...declarations.declare(n), __provider: handler }));
  let saved: Resource[] = [];
  const calls: Readonly<Record<Command, (provider: DynamicProcess) => Promise<void>>> = {
    up: async (provider) => {
      for (const news of declared) await provider.check({ olds: {}, news });
      saved = await inParallel(declared, (inputs) => createWith(provider, inputs));
    },
    preview: async (provider) => {
      for (const { id, inputs, outputs } of saved) {
        await provider.check({ olds: inputs, news: inputs });
        await provider.diff({ id, olds: outputs, news: inputs });
      }
    },
    refresh: async (provider) => {
      await inParallel(saved, async ({ id, inputs, outputs }) => {
        const found = await provider.read({ id, props: outputs });
        await provider.diff({ id, olds: found.properties, news: inputs });
      });
    },
    // The jobs are retained: the engine makes no call.
    destroy: () => Promise.resolve(),
  };
  const measured: Measured[] = [];
  const folder = mkdtempSync(join(tmpdir(), "bench-host-"));
  try {
    for (const command of commands) {
      const log = join(folder, `${command}.jsonl`);
      const before = emulator.requests.length;
      const start = performance.now();
      const provider = await startDynamicProcess({
        env: {
          DATA_CONNECTIVITY_BASE_URL: emulator.baseUrl,
          DATA_CONNECTIVITY_TOKEN: emulator.token,
          ...usageEnvironment(log),
        },
      });
      try {
        await provider.configure({});
        await calls[command](provider);
      } finally {
        await provider.stop();
      }
      const ms = performance.now() - start;
      const seen = emulator.requests.slice(before);
      const creates = seen.filter(({ method }) => method === "POST").map(({ at }) => Date.parse(at));
      const requests = { requests: seen.length, mostAtOnce: mostAtOnce(creates, latencyMs) };
      measured.push({ command, ms, ...requests, provider: usageOf(log, "provider") });
    }
  } finally {
    rmSync(folder, { recursive: true });
    await emulator.stop();
  }
  return measured;
}

async function createWith(provider: DynamicProcess, inputs: JsonObject): Promise<Resource> {
  const created = await provider.create(inputs);
  if (created.kind !== "ok") throw new Error(`A create failed: ${JSON.stringify(created)}`);
  return { id: created.id, inputs, outputs: created.properties };
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  const worker = async () => {
    for (const [n, item] of rest) results[n] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
