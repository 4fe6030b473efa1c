const { CachingJob } = require("pulumi-data-connectivity");

for (const [name, declared] of Object.entries(require("./jobs.json"))) new CachingJob(name, declared);
