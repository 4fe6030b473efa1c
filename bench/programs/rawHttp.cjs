// The HTTP client alone: the same requests, eight at a time, each on a connection of its own. Prints milliseconds.
const { Agent } = require("node:http");
const axios = require("axios");
const { count, declare } = require("./declare.cjs");

async function main() {
  const httpAgent = new Agent({ keepAlive: false });
  const { DATA_CONNECTIVITY_BASE_URL: baseUrl, DATA_CONNECTIVITY_TOKEN: token } = process.env;
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < count; n = next++) {
      await axios.post(`${baseUrl}/api/job/create`, bodyOf(declare(n)), {
        headers: { Authorization: `Bearer ${token}` },
        httpAgent,
      });
    }
  };
  const bodyOf = ({ params, ...rest }) => ({
    jobType: "Caching",
    ...rest,
    params: { ...params, autoTruncateStrings: String(params.autoTruncateStrings) },
  });
  const start = performance.now();
  await Promise.all(Array.from({ length: 8 }, worker));
  console.log(performance.now() - start);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
