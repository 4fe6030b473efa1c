// What the engine itself costs: the same inputs and outputs, a provider that does nothing, and nothing else in the class.
const pulumi = require("@pulumi/pulumi");
const { count, declare } = require("bench-declare");

class NoopJob extends pulumi.CustomResource {
  constructor(name, args) {
    super(
      "pulumi-nodejs:dynamic/data-connectivity:NoopJob",
      name,
      {
        ...args,
        job: undefined,
        origin: undefined,
        __provider: 'exports.handler=()=>require("bench-noop-provider/dynamic/v1").noopJob',
      },
      { retainOnDelete: true },
    );
  }
}

for (let n = 0; n < count; n += 1) new NoopJob(`job-${n}`, declare(n));
