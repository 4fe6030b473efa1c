// Returns outputs of the same size as the real ones, and sends nothing: with BENCH_SEND what an `up` sends, through axios alone;
// with BENCH_GET_FOR_EACH_READ one GET for each read.
const { Agent, get } = require("node:http");

const record = {
  name: "Cache ORDERS_0",
  enabled: true,
  created: "2026-01-01T00:00:00.000Z",
  lastModified: "2026-01-01T00:00:00.000Z",
  nextRunTime: "2026-01-01T04:00:00.000Z",
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  lastRun: { status: "JOB_QUEUED", rowsAffected: 0 },
};
const agent = new Agent({ keepAlive: true });
const headers = { Authorization: `Bearer ${process.env.DATA_CONNECTIVITY_TOKEN}` };

const getJob = (id) =>
  new Promise((resolve, reject) => {
    get(`${process.env.DATA_CONNECTIVITY_BASE_URL}/api/job/${id}`, { agent, headers }, (reply) =>
      reply.resume().once("end", resolve),
    ).once("error", reject);
  });

/** The id of a job that was created, or of one that was not. */
async function create(inputs) {
  if (process.env.BENCH_SEND !== "true") return `00000000-0000-4000-8000-${String((made += 1)).padStart(12, "0")}`;
  const { listOnce, createJob } = require("./axiosAlone.cjs");
  await listOnce();
  return createJob(inputs);
}

let made = 0;
exports.floorJob = {
  check: async (_olds, news) => ({ inputs: news }),
  diff: async () => ({ changes: false }),
  create: async (inputs) => {
    const id = await create(inputs);
    const { params } = inputs;
    const job = { id, ...record, params: { ...params, sourceConnectionName: params.sourceName } };
    return {
      id,
      outs: { ...inputs, job, origin: { outcome: "created", baseUrl: "http://127.0.0.1:1", at: record.created } },
    };
  },
  read: async (id, props) => {
    if (process.env.BENCH_GET_FOR_EACH_READ === "true") await getJob(id);
    return { id, props };
  },
  update: async (_id, _olds, news) => ({ outs: news }),
  delete: async () => undefined,
};
