// Sends nothing and returns outputs of the same size as the real ones.
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
let made = 0;
exports.noopJob = {
  check: async (_olds, news) => ({ inputs: news }),
  diff: async () => ({ changes: false }),
  create: async (inputs) => {
    made += 1;
    const id = `00000000-0000-4000-8000-${String(made).padStart(12, "0")}`;
    const { params } = inputs;
    const job = { id, ...record, params: { ...params, sourceConnectionName: params.sourceName } };
    return {
      id,
      outs: { ...inputs, job, origin: { outcome: "created", baseUrl: "http://127.0.0.1:1", at: record.created } },
    };
  },
  read: async (id, props) => ({ id, props }),
  update: async (_id, _olds, news) => ({ outs: news }),
  delete: async () => undefined,
};
