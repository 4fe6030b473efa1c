// A dynamic provider that does nothing.
const { createJob, outputsOf } = require("./floorJob.cjs");

exports.floorJob = {
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
