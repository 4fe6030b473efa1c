// What Pulumi itself costs: a class and a provider that have the package's inputs and outputs, and do nothing else.
const pulumi = require("@pulumi/pulumi");

// As in the package: a value that only the run will know must not look absent in a preview.
const later = pulumi.runtime.isDryRun() ? pulumi.unknown : undefined;

class FloorJob extends pulumi.CustomResource {
  constructor(name, declared) {
    const limit = Error.stackTraceLimit;
    // The package skips the SDK's stack traces. If this program had their cost, the package would look too fast.
    Error.stackTraceLimit = 0;
    try {
      super(
        "pulumi-nodejs:dynamic/data-connectivity:FloorJob",
        name,
        {
          ...declared,
          job: later,
          origin: later,
          __resource: { name, plain: "AbCdEfGh" },
          __provider: "exports.handler=()=>require(process.env.BENCH_FLOOR_PROVIDER).floorJob",
        },
        { retainOnDelete: true },
      );
    } finally {
      Error.stackTraceLimit = limit;
    }
  }
}

for (const [name, declared] of Object.entries(require("./jobs.json"))) new FloorJob(name, declared);
