// What the package adds to a provider process that has loaded the SDK, with what a first check loads. Prints milliseconds.
require("@pulumi/pulumi");
const start = performance.now();
const { cachingJob } = require("pulumi-data-connectivity/dynamic/v1");
cachingJob.check({}, {}).then(() => console.log(performance.now() - start));
