// The SDK first, as in most programs: what the package adds is measured on top of it.
require("@pulumi/pulumi");
const { count, declare } = require("bench-declare");
const { CachingJob } = globalThis.noteLoad("pulumi-data-connectivity", () => require("pulumi-data-connectivity"));

for (let n = 0; n < count; n += 1) new CachingJob(`job-${n}`, declare(n));
