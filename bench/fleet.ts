import { stopAll } from "../test/support/emulated.js";
import { startFleet } from "../test/support/fleetStack.js";

const tables = Array.from({ length: 10 }, (_, n) => `TABLE_${n}`);
const commands = ["the first up", "up without a change", "--preview", "--destroy"] as const;

/** Runs `examples/fleet` for so many customers with ten jobs each, and returns a table of what it cost. */
export async function measureFleet(customers: number): Promise<string> {
  const names = Array.from({ length: customers }, (_, n) => [`customer-${n}`, { tables }]);
  const { stack, service } = await startFleet(Object.fromEntries(names) as Record<string, object>);
  const rows = ["| command | processor time of each stack | elapsed, all | requests, all |", "|---|---|---|---|"];
  for (const command of commands) {
    const before = service.requests.length;
    const begin = performance.now();
    const option = command.startsWith("--") ? command : "";
    // `times` prints what the shell used, and then what its children did: the CLI, the plugin and the commands.
    const { exitCode, output } = await stack.shell(`tsx fleet.ts --per-minute 100000 ${option} && times`);
    if (exitCode !== 0) throw new Error(output);
    const seconds = (performance.now() - begin) / 1000;
    const used = processorSeconds(output.trim().split("\n").at(-1) ?? "") / customers;
    const requests = service.requests.length - before;
    rows.push(`| ${command} | ${used.toFixed(1)} s | ${seconds.toFixed(0)} s | ${requests} |`);
  }
  await stopAll();
  return rows.join("\n");
}

/** The sum of, for example, `0m1.25s 0m0.50s`. */
const processorSeconds = (times: string): number =>
  [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0);
