// The engine's own floor: the same inputs and outputs, a provider that does nothing, and nothing else in the class.
const pulumi = require("@pulumi/pulumi");
const { count, declare } = require("bench-declare");

class Floor extends pulumi.CustomResource {
  constructor(name, args) {
    super(
      "pulumi-nodejs:dynamic/data-connectivity:FloorJob",
      name,
      {
        ...args,
        job: undefined,
        origin: undefined,
        __provider: 'exports.handler=()=>require("bench-floor-provider/dynamic/v1").floorJob',
      },
      { retainOnDelete: true },
    );
  }
}

for (let n = 0; n < count; n += 1) new Floor(`job-${n}`, declare(n));
