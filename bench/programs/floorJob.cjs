// A dynamic provider whose calls only return fixed replies. With BENCH_SEND, each call also sends the request that the
// package would send, with axios alone.
const { randomUUID } = require("node:crypto");
const { Agent } = require("node:http");

const { BENCH_SEND, DATA_CONNECTIVITY_BASE_URL: baseUrl, DATA_CONNECTIVITY_TOKEN: token } = process.env;
// A connection for each request.
const httpAgent = new Agent({ keepAlive: false });

async function send(method, path, data) {
  // As in the package, axios is loaded with the first request.
  const { default: axios } = require("axios");
  const headers = { Authorization: `Bearer ${token}` };
  return (await axios({ method, url: `${baseUrl}${path}`, headers, data, httpAgent, maxRedirects: 0 })).data;
}

let listed;

/** The id of a new job. */
async function createJob({ intervalUnit, intervalValue, logVerbosity, enabled, params }) {
  if (BENCH_SEND !== "true") return randomUUID();
  await (listed ??= send("GET", "/api/poweredby/sources/list"));
  const texts = { ...params, autoTruncateStrings: String(params.autoTruncateStrings) };
  const body = { jobType: "Caching", intervalUnit, intervalValue, logVerbosity, enabled, params: texts };
  const { jobs } = await send("POST", "/api/job/create", body);
  return jobs[0].id;
}

const created = "2026-01-01T00:00:00.000Z";
const record = {
  name: "Cache ORDERS_0",
  enabled: true,
  created,
  lastModified: created,
  nextRunTime: "2026-01-01T04:00:00.000Z",
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  lastRun: { status: "JOB_QUEUED", rowsAffected: 0 },
};

/** Outputs of the same size as the package's. */
const outputsOf = (id, inputs) => {
  const job = { id, ...record, params: { ...inputs.params, sourceConnectionName: inputs.params.sourceName } };
  return { ...inputs, job, origin: { outcome: "created", baseUrl: "http://127.0.0.1:1", at: created } };
};

const floorJob = {
  check: async (_olds, news) => ({ inputs: news }),
  diff: async () => ({ changes: false }),
  create: async (inputs) => {
    const id = await createJob(inputs);
    return { id, outs: outputsOf(id, inputs) };
  },
  read: async (id, props) => ({ id, props }),
  update: async (_id, _olds, news) => ({ outs: news }),
  delete: async () => undefined,
};

module.exports = { createJob, floorJob, outputsOf };
