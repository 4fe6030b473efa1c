// A dynamic provider that does nothing, and its replies. With BENCH_SEND, it sends the package's requests, with axios only.
const { Agent } = require("node:http");

const { BENCH_SEND, DATA_CONNECTIVITY_BASE_URL: baseUrl, DATA_CONNECTIVITY_TOKEN: token } = process.env;
const oneRequestEach = new Agent({ keepAlive: false });

async function send(method, path, data) {
  // As in the package, axios is loaded with the first request.
  const { AxiosHeaders, getAdapter } = require("axios");
  const headers = new AxiosHeaders({
    Authorization: `Bearer ${token}`,
    Accept: "application/json",
    "Content-Type": "application/json",
  });
  const request = { method, url: `${baseUrl}${path}`, headers, data, httpAgent: oneRequestEach, maxRedirects: 0 };
  return JSON.parse((await getAdapter("http")(request)).data);
}

let listed;
async function sendJob({ intervalUnit, intervalValue, logVerbosity, enabled, params }) {
  await (listed ??= send("GET", "/api/poweredby/sources/list"));
  const texts = { ...params, autoTruncateStrings: String(params.autoTruncateStrings) };
  const body = { jobType: "Caching", intervalUnit, intervalValue, logVerbosity, enabled, params: texts };
  const { jobs } = await send("POST", "/api/job/create", JSON.stringify(body));
  return jobs[0].id;
}

let made = 0;
const inventId = () => `00000000-0000-4000-8000-${String((made += 1)).padStart(12, "0")}`;

/** The id of a new job. */
const createJob = async (inputs) => (BENCH_SEND === "true" ? sendJob(inputs) : inventId());

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
