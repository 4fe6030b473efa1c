// What the package adds to a provider process that has loaded the SDK. Prints milliseconds.
require("@pulumi/pulumi");
const start = performance.now();
require("pulumi-data-connectivity/dynamic/v1");
console.log(performance.now() - start);
