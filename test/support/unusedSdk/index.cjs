// Modules with which the SDK serializes functions and runs stacks. No provider does that, and these modules are three
// quarters of what the SDK loads.
const parts = ["../../typescript-shim", "@npmcli/arborist", "normalize-package-data", "./automation"];
const standIn = require.resolve("./standIn.cjs");

/** What tests load in place of each of them. */
exports.unusedSdk = Object.fromEntries(parts.map((request) => [request, standIn]));
