// This file runs before the SDK's provider process, and changes nothing that a provider can see.
const Module = require("node:module");
const { unusedSdk } = require("./unusedSdk/index.cjs");

// However the parent ends, stdin closes. An exit handler in the parent would not run after SIGKILL, nor under Jest.
process.stdin.on("close", () => process.exit()).resume();

const load = Module._load;
Module._load = (request, ...more) => load(unusedSdk[request] ?? request, ...more);
