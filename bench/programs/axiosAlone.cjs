// The requests of an `up` through axios alone: one list of data sources, and each create on a connection of its own.
const { Agent } = require("node:http");
const axios = require("axios");

const httpAgent = new Agent({ keepAlive: false });
const { DATA_CONNECTIVITY_BASE_URL: baseUrl, DATA_CONNECTIVITY_TOKEN: token } = process.env;
const headers = { Authorization: `Bearer ${token}` };

const bodyOf = ({ intervalUnit, intervalValue, logVerbosity, enabled, params }) => ({
  ...{ jobType: "Caching", intervalUnit, intervalValue, logVerbosity, enabled },
  params: { ...params, autoTruncateStrings: String(params.autoTruncateStrings) },
});

let listed;
exports.listOnce = () => (listed ??= axios.get(`${baseUrl}/api/poweredby/sources/list`, { headers }));

/** The id of the created job. */
exports.createJob = async (declared) => {
  const { data } = await axios.post(`${baseUrl}/api/job/create`, bodyOf(declared), { headers, httpAgent });
  return data.jobs[0].id;
};
