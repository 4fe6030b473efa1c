// What Pulumi itself costs: resources and a provider that have the package's inputs and outputs, and do nothing else.
const pulumi = require("@pulumi/pulumi");

// As in the package: a value that only the run will know must not look absent in a preview.
const later = pulumi.runtime.isDryRun() ? pulumi.unknown : undefined;
const provider = {
  __resource: { name: "floor", plain: "AbCdEfGh" },
  __provider: "exports.handler=()=>require(process.env.BENCH_FLOOR_PROVIDER).floorJob",
};

const limit = Error.stackTraceLimit;
// The package skips the SDK's stack traces. If this program had their cost, the package would look too fast.
Error.stackTraceLimit = 0;
for (const [name, declared] of Object.entries(require("./jobs.json"))) {
  const properties = { ...declared, job: later, origin: later, ...provider };
  const type = "pulumi-nodejs:dynamic/data-connectivity:FloorJob";
  new pulumi.CustomResource(type, name, properties, { retainOnDelete: true });
}
Error.stackTraceLimit = limit;
