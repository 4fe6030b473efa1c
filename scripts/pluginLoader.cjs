// What an archive starts as lib/plugin.js. To compile the bundle takes half of the time until the engine can call the plugin, so the
// first start keeps what V8 compiled. No archive can hold it: it fits one version of Node on one kind of processor.
const { createHash } = require("node:crypto");
const { readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const { join } = require("node:path");
const { Script } = require("node:vm");

if (Number.parseInt(process.versions.node) < 20) {
  process.stderr.write(
    `pulumi-resource-data-connectivity needs Node.js 20 or newer, and the node on the PATH is ${process.versions.node}. Install a newer one.\n`,
  );
  process.exit(1);
}

const bundle = join(__dirname, "bundle.js");
const compiled = join(__dirname, `compiled-${process.version}-${process.arch}`);
// The bundle is ASCII, which V8 takes faster as what it is.
const source = readFileSync(bundle, "latin1");

const digestLength = 32;
// V8 crashes on a damaged file, and takes one of another bundle of the same length.
const digest = (data) => createHash("sha256").update(source, "latin1").update(data).digest();

const cachedData = keptData();
const script = new Script(source, { filename: bundle, cachedData });
const plugin = {};
script.runInThisContext()(plugin, createRequire(bundle), __dirname);
if (cachedData === undefined || script.cachedDataRejected) plugin.listening.then(keepData);

function keptData() {
  try {
    const file = readFileSync(compiled);
    const data = file.subarray(digestLength);
    return digest(data).equals(file.subarray(0, digestLength)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the functions that ran until the plugin listened. Other processes of the run may do so at the same time. */
function keepData() {
  const data = script.createCachedData();
  const part = `${compiled}.${process.pid}`;
  try {
    try {
      writeFileSync(part, Buffer.concat([digest(data), data]));
      renameSync(part, compiled);
    } finally {
      rmSync(part, { force: true });
    }
  } catch {
    // In a folder that cannot be written every start compiles.
  }
}
