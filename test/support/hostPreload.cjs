// Runs before the SDK's provider process. It changes nothing that a provider can see.
const Module = require("node:module");

// A pipe closes however the other process ends, even by SIGKILL. An exit handler would not run then, nor under Jest.
process.stdin.on("close", () => process.exit()).resume();

// Both serve only to serialize functions, which no provider does, and are two thirds of the time that the SDK takes to load.
const loadedWhenUsed = new Set(["../../typescript-shim", "@npmcli/arborist"]);

const load = Module._load;
Module._load = (request, ...more) =>
  loadedWhenUsed.has(request)
    ? // A module that is marked as compiled from ESM is not copied where it is imported.
      new Proxy({}, { get: (_, key) => key === "__esModule" || load(request, ...more)[key] })
    : load(request, ...more);
