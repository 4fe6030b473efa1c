// Runs before a plugin, and prints when it loads axios.
const Module = require("node:module");

const load = Module._load;
Module._load = (request, ...more) => {
  if (request === "axios") process.stderr.write("axios\n");
  return load(request, ...more);
};
