// Runs before a plugin. Prints a line when the plugin loads axios, and at exit another if Node's fetch API was loaded.
const Module = require("node:module");

const load = Module._load;
Module._load = (request, ...more) => {
  if (request === "axios") process.stderr.write("axios\n");
  return load(request, ...more);
};
process.on("exit", () => {
  if (process.moduleLoadList.some((name) => name.includes("undici/undici"))) process.stderr.write("undici\n");
});
