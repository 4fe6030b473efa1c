// This file becomes lib/plugin.js in each archive. Compiling the bundles takes half of the time until the engine can
// call the plugin, so V8's compiled code is cached. The compiled code cannot be in the archive: it fits only one
// version of Node on one kind of processor.
const { createHash } = require("node:crypto");
const { readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

if (Number.parseInt(process.versions.node) < 20) {
  process.stderr.write(
    `pulumi-resource-data-connectivity needs Node.js 20 or newer, and the node on the PATH is ${process.versions.node}. Install a newer one.\n`,
  );
  process.exit(1);
}

const digestLength = 32;

/** Runs a bundle, with the code that V8 compiled from it in an earlier process if a cache has that. */
class Bundle {
  /** `stages`: the caches to look for, the cache with the most functions first. */
  constructor(name, ...stages) {
    const filename = join(__dirname, `${name}.js`);
    this.name = name;
    // The bundle is ASCII, and V8 reads a one-byte string faster than a two-byte string.
    this.source = readFileSync(filename, "latin1");
    let cachedData;
    const stage = stages.find((one) => (cachedData = this.read(one)) !== undefined);
    this.script = new Script(this.source, { filename, cachedData });
    this.stage = this.script.cachedDataRejected ? undefined : stage;
    const module = { exports: {} };
    this.script.runInThisContext()(module, module.exports, requireHere, __dirname);
    this.exports = module.exports;
  }

  /** Caches the functions that have run so far. Other processes of the run may write the cache at the same time. */
  keep(stage) {
    const data = this.script.createCachedData();
    const part = `${this.file(stage)}.${process.pid}`;
    try {
      try {
        writeFileSync(part, Buffer.concat([this.digest(data), data]));
        renameSync(part, this.file(stage));
        this.stage = stage;
      } finally {
        rmSync(part, { force: true });
      }
    } catch {
      // If the folder is not writable, every start compiles the bundle.
    }
  }

  read(stage) {
    try {
      const file = readFileSync(this.file(stage));
      const data = file.subarray(digestLength);
      return this.digest(data).equals(file.subarray(0, digestLength)) ? data : undefined;
    } catch {
      return undefined;
    }
  }

  // Detects wrong caches: V8 crashes on a damaged cache, and accepts the cache of another bundle of the same length.
  digest(data) {
    return createHash("sha256").update(this.source, "latin1").update(data).digest();
  }

  file(stage) {
    return join(__dirname, `compiled-${this.name}-${stage}-${process.version}-${process.arch}`);
  }
}

// Loaded on demand: only a process that sends a request needs it.
let axios;
const requireHere = (name) => (name === "axios" ? (axios ??= new Bundle("axios", "used")).exports : require(name));

const bundle = new Bundle("bundle", "used", "started");
const plugin = bundle.exports;

if (bundle.stage === undefined) plugin.listening.then(() => bundle.keep("started"));
process.once("exit", () => {
  // Most of the code runs only after the engine has configured the plugin.
  if (bundle.stage === "started" && plugin.isConfigured()) bundle.keep("used");
  if (axios?.stage === undefined && bundle.stage !== undefined) axios?.keep("used");
});
