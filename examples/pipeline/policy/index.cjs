const { PolicyPack, validateResourceOfType } = require("@pulumi/policy");
const { CachingJob } = require("pulumi-data-connectivity");

const everyFourHours = validateResourceOfType(CachingJob, ({ intervalUnit, intervalValue }, _args, report) => {
  if (intervalUnit === "Hour" && intervalValue < 4)
    report(`intervalValue is ${intervalValue}. Accepted: 4 hours or more.`);
});

new PolicyPack("data-connectivity", {
  policies: [
    {
      name: "caching-interval",
      description: "A table is cached every four hours at most.",
      enforcementLevel: "mandatory",
      validateResource: everyFourHours,
    },
  ],
});
