// Loaded into every Node process of a command: when it ends, writes down what it used.
const { appendFileSync } = require("node:fs");

let written = false;
const write = () => {
  if (written) return;
  written = true;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const line = { script: process.argv[1] ?? "", cpuMs: (userCPUTime + systemCPUTime) / 1000, memoryMb: maxRSS / 1024 };
  appendFileSync(process.env.BENCH_USAGE, `${JSON.stringify(line)}\n`);
};
process.once("exit", write);
// The engine ends its provider processes with the first of these signals, the bench without an engine with the second.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(0));
