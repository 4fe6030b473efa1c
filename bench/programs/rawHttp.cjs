// The HTTP client alone: the creates of an `up`, eight at a time. Prints milliseconds.
const { createJob } = require("./axiosAlone.cjs");
const { count, declare } = require("./declare.cjs");

async function main() {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await createJob(declare(n));
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: 8 }, worker));
  console.log(performance.now() - start);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
