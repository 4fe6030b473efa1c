// Runs before the SDK's provider process. It changes nothing that a provider can see.
const Module = require("node:module");
const { loadedWhenUsed } = require("./sdkParts/index.cjs");

// The pipe closes no matter how the parent ends. An exit handler there would not run after SIGKILL, nor under Jest.
process.stdin.on("close", () => process.exit()).resume();

const load = Module._load;
Module._load = (request, ...more) => load(loadedWhenUsed[request] ?? request, ...more);
