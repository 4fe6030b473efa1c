import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { cachingBody, cachingInputs } from "../test/support/all/declarations.js";
import { configFor, inProcessStack } from "../test/support/all/inProcess.js";
import { send } from "../test/support/rawHttp.js";
import { CREATE } from "../test/support/emulated.js";
import { median } from "./results.js";

const creates = 300;
const rounds = 3;
const token = "bench";

/**
 * Creates 300 jobs beside none and beside so many jobs of others, in mode `all`. Returns the processor time of both and
 * their ratio, each the median of the rounds.
 */
export async function measureBeside(others: number): Promise<string> {
  // Warm-up: the first run compiles what later ones find already compiled.
  await measureOnce(0);
  const ratios: number[] = [];
  const seconds: Record<"none" | "others", number[]> = { none: [], others: [] };
  for (let round = 0; round < rounds; round += 1) {
    const [none, beside] = [await measureOnce(0), await measureOnce(others)];
    seconds.none.push(none);
    seconds.others.push(beside);
    ratios.push(beside / none);
  }
  const shown = (of: readonly number[]) => `${median(of).toFixed(2)} s`;
  const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return [
    `| ${creates} creates in mode all | processor time of the provider |`,
    "|---|---|",
    `| beside no other jobs | ${shown(seconds.none)} |`,
    `| beside ${others} jobs of others | ${shown(seconds.others)} |`,
    `| ratio | ${median(ratios).toFixed(2)} (${range}) |`,
  ].join("\n");
}

/** The processor seconds that this process uses for the creates. The service is a process of its own. */
async function measureOnce(others: number): Promise<number> {
  const service = spawn("node", [join(__dirname, "../provider/dist/cli/main.js"), "emulator", "--token", token], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const baseUrl = await addressFrom(service.stdout);
    for (let n = 0; n < others; n += 1)
      await send(baseUrl, { method: "POST", path: CREATE, token, body: cachingBody(`OTHER_${n}`) });
    const stack = inProcessStack(() => ({ config: configFor({ baseUrl, token }) }));
    const names = Array.from({ length: creates }, (_, n) => `TABLE_${n}`);
    const program = Object.fromEntries(names.map((name) => [name, cachingInputs(name, name)]));
    const before = process.cpuUsage();
    const { failed, text } = await stack.up(program);
    const { user, system } = process.cpuUsage(before);
    if (failed) throw new Error(text);
    return (user + system) / 1e6;
  } finally {
    service.kill("SIGTERM");
    await once(service, "exit");
  }
}

async function addressFrom(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address === undefined) continue;
    output.resume();
    return address;
  }
  throw new Error("The emulator printed no address.");
}
