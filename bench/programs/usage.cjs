// Loaded into every Node process of a command: when it ends, writes down what it used and where the package's time went.
const { subscribe } = require("node:diagnostics_channel");
const { appendFileSync } = require("node:fs");
const Module = require("node:module");

const loads = [];
const requests = [];
const note = (name, load) => {
  const start = process.cpuUsage();
  const loaded = load();
  const { user, system } = process.cpuUsage(start);
  // The second `require` of a package is a look-up.
  if (!loads.some((known) => known.name === name)) loads.push({ name, cpuMs: (user + system) / 1000 });
  return loaded;
};
// A program calls it by itself: a frame of this file in its stack would be saved with each of its resources.
globalThis.noteLoad = note;
if (/dynamic-provider/.test(process.argv[1] ?? "")) {
  const watched = /^(pulumi-data-connectivity|bench-floor-provider|axios)(\/|$)|^\.\/schemas\.js$/;
  const load = Module._load;
  Module._load = function (name, ...rest) {
    const loadIt = () => load.call(this, name, ...rest);
    return watched.test(name) ? note(name, loadIt) : loadIt();
  };
}

const started = new WeakMap();
subscribe("http.client.request.start", ({ request }) => started.set(request, performance.now()));
subscribe("http.client.response.finish", ({ request, response }) => {
  const path = `${request.method} ${request.path}`;
  // Enough for one job: with many, the log would cost more than what it tells.
  if (requests.length < 10)
    requests.push({ path, ms: performance.now() - started.get(request), status: response.statusCode });
});

let written = false;
const write = () => {
  if (written) return;
  written = true;
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const line = {
    script: process.argv[1] ?? "",
    cpuMs: (userCPUTime + systemCPUTime) / 1000,
    memoryMb: maxRSS / 1024,
    loads,
    requests,
  };
  appendFileSync(process.env.BENCH_USAGE, `${JSON.stringify(line)}\n`);
};
process.once("exit", write);
// The engine ends its provider processes with the first of these signals, the bench without an engine with the second.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(0));
