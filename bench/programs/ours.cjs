const { CachingJob } = require("pulumi-data-connectivity");
const { count, declare } = require("bench-declare");

for (let n = 0; n < count; n += 1) new CachingJob(`job-${n}`, declare(n));
