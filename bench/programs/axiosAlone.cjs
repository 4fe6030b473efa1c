// The requests of an `up` through the part of axios that sends, and nothing around it: one list of data sources, and each
// create on a connection of its own.
const { Agent } = require("node:http");
const { AxiosHeaders, getAdapter } = require("axios");

const sendWith = getAdapter("http");
const fresh = new Agent({ keepAlive: false });
const { DATA_CONNECTIVITY_BASE_URL: baseUrl, DATA_CONNECTIVITY_TOKEN: token } = process.env;

const send = async (method, path, data) => {
  const headers = new AxiosHeaders({
    Authorization: `Bearer ${token}`,
    Accept: "application/json",
    ...(data === undefined ? {} : { "Content-Type": "application/json" }),
  });
  const reply = await sendWith({ method, url: `${baseUrl}${path}`, headers, data, httpAgent: fresh, maxRedirects: 0 });
  return JSON.parse(reply.data);
};

const bodyOf = ({ intervalUnit, intervalValue, logVerbosity, enabled, params }) => ({
  ...{ jobType: "Caching", intervalUnit, intervalValue, logVerbosity, enabled },
  params: { ...params, autoTruncateStrings: String(params.autoTruncateStrings) },
});

let listed;
exports.listOnce = () => (listed ??= send("GET", "/api/poweredby/sources/list"));

/** The id of the created job. */
exports.createJob = async (declared) => {
  const { jobs } = await send("POST", "/api/job/create", JSON.stringify(bodyOf(declared)));
  return jobs[0].id;
};
