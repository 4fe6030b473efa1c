// A provider as in Pulumi's documentation of dynamic providers: one object for each resource, whose code the SDK serializes
// into the state.
const pulumi = require("@pulumi/pulumi");
const { count, declare } = require("bench-declare");

const units = ["Hour", "Day", "Week", "Month"];

const failuresOf = (inputs) => {
  const failures = [];
  if (!units.includes(inputs.intervalUnit)) failures.push({ property: "intervalUnit", reason: `one of ${units}` });
  if (!(inputs.intervalValue >= 1)) failures.push({ property: "intervalValue", reason: "at least 1" });
  if (!(inputs.logVerbosity >= 1 && inputs.logVerbosity <= 5)) {
    failures.push({ property: "logVerbosity", reason: "1 to 5" });
  }
  for (const member of ["sourceConnection", "sourceName", "sourceSchema", "sourceTable"]) {
    if (!inputs.params[member]) failures.push({ property: `params.${member}`, reason: "must not be empty" });
  }
  return failures;
};

const wireForm = (inputs) => ({
  jobType: "Caching",
  intervalUnit: inputs.intervalUnit,
  intervalValue: inputs.intervalValue,
  logVerbosity: inputs.logVerbosity,
  enabled: inputs.enabled,
  params: { ...inputs.params, autoTruncateStrings: String(inputs.params.autoTruncateStrings) },
});

async function post(path, body) {
  const response = await fetch(process.env.DATA_CONNECTIVITY_BASE_URL + path, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${process.env.DATA_CONNECTIVITY_TOKEN}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path} failed with HTTP ${response.status}: ${await response.text()}`);
  return response.json();
}

class JobProvider {
  async check(_olds, news) {
    return { inputs: news, failures: failuresOf(news) };
  }
  async diff(_id, olds, news) {
    return { changes: JSON.stringify(wireForm(olds)) !== JSON.stringify(wireForm(news)) };
  }
  async create(inputs) {
    const { jobs } = await post("/api/job/create", wireForm(inputs));
    return { id: jobs[0].id, outs: { ...inputs, job: jobs[0] } };
  }
  async read(id, props) {
    return { id, props };
  }
  async update(_id, olds, news) {
    return { outs: { ...olds, ...news } };
  }
  async delete() {
    return undefined;
  }
}

class SerializedJob extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(new JobProvider(), name, { ...args, job: undefined }, { retainOnDelete: true });
  }
}

for (let n = 0; n < count; n += 1) new SerializedJob(`job-${n}`, declare(n));
