// What the engine itself costs: the same inputs and outputs, a provider that does nothing, and nothing else in the class.
const pulumi = require("@pulumi/pulumi");
const { count, declare } = require("bench-declare");

// The classes of the package leave out the SDK's stack traces while they construct, so a floor that pays for them would flatter
// the package. "off" leaves out also those that the SDK takes later: no class can, because other code runs in between.
const traces = process.env.BENCH_STACK_TRACES;
if (traces === "off") Error.stackTraceLimit = 0;

// As in the package: what only the run will know must not look absent in a preview.
const later = pulumi.runtime.isDryRun() ? pulumi.unknown : undefined;

class FloorJob extends pulumi.CustomResource {
  constructor(name, args) {
    const limit = Error.stackTraceLimit;
    if (traces !== "kept") Error.stackTraceLimit = 0;
    try {
      super(
        "pulumi-nodejs:dynamic/data-connectivity:FloorJob",
        name,
        {
          ...args,
          job: later,
          origin: later,
          __resource: { name, plain: "AbCdEfGh" },
          __provider: 'exports.handler=()=>require("bench-floor-provider/dynamic/v1").floorJob',
        },
        { retainOnDelete: process.env.BENCH_JOB_OPERATIONS !== "all" },
      );
    } finally {
      Error.stackTraceLimit = limit;
    }
  }
}

for (let n = 0; n < count; n += 1) new FloorJob(`job-${n}`, declare(n));
