// What an archive starts as lib/plugin.js. To compile its bundles takes half of the time until the engine can call the plugin, so what V8
// compiled is kept. No archive can hold it: it fits one version of Node on one kind of processor.
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

/** A bundle, with what V8 compiled of it in an earlier process. */
class Bundle {
  /** `stages`: what may have been kept, the fullest first. */
  constructor(name, stages) {
    this.name = name;
    // The bundle is ASCII, which V8 takes faster as what it is.
    this.source = readFileSync(join(__dirname, `${name}.js`), "latin1");
    const stage = stages.find((one) => (this.kept = this.read(one)) !== undefined);
    this.script = new Script(this.source, { filename: join(__dirname, `${name}.js`), cachedData: this.kept });
    this.stage = this.script.cachedDataRejected ? undefined : stage;
  }

  run() {
    const module = { exports: {} };
    this.script.runInThisContext()(module, module.exports, requireHere, __dirname);
    return module.exports;
  }

  /** Keeps the functions that ran until now. Other processes of the run may do so at the same time. */
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
      // In a folder that cannot be written every start compiles.
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

  // V8 crashes on a damaged file, and takes one of another bundle of the same length.
  digest(data) {
    return createHash("sha256").update(this.source, "latin1").update(data).digest();
  }

  file(stage) {
    return join(__dirname, `compiled-${this.name}-${stage}-${process.version}-${process.arch}`);
  }
}

const bundle = new Bundle("bundle", ["used", "started"]);
let axios;
const requireHere = (name) => (name === "axios" ? (axios ??= runAxios()) : require(name));
const plugin = bundle.run();

if (bundle.stage === undefined) plugin.listening.then(() => bundle.keep("started"));
process.once("exit", () => {
  // Most of it runs only after the engine has configured the plugin.
  if (bundle.stage === "started" && plugin.isConfigured()) bundle.keep("used");
});

/** Only a process that sends a request needs it. */
function runAxios() {
  const own = new Bundle("axios", ["used"]);
  process.once("exit", () => {
    if (own.stage === undefined && bundle.stage !== undefined) own.keep("used");
  });
  return own.run();
}
