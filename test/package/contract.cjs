// What must hold on every runtime. `npm run test:compat` runs it in a folder where the packed package is installed.
const assert = require("node:assert/strict");
const { createRequire } = require("node:module");
const { after, before, test } = require("node:test");
const pulumi = require("@pulumi/pulumi");
const ours = require("pulumi-data-connectivity");
const { setProviderMocks, startEmulator } = require("pulumi-data-connectivity/testing");
// scripts/compat.ts bundles them, for the SDK that is installed in this folder.
const { recordedBy } = require("./driver/calls.cjs");
const { startProcess } = require("./driver/process.cjs");

const declared = {
  intervalUnit: "Hour",
  intervalValue: 4,
  logVerbosity: 2,
  params: {
    sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
    sourceName: "Snowflake1",
    sourceSchema: "PUBLIC",
    sourceTable: "ORDERS",
  },
};
/** The provider of a user's program, with the whole SDK. */
const startProvider = ({ baseUrl, token }) =>
  startProcess("dynamic", {
    cwd: __dirname,
    env: { DATA_CONNECTIVITY_BASE_URL: baseUrl, DATA_CONNECTIVITY_TOKEN: token },
    wholeSdk: true,
  });
const saved = (name) => `exports.handler=()=>require("pulumi-data-connectivity/dynamic/v1").${name}`;
const valueOf = (output) => new Promise((resolve) => void output.apply(resolve));

test("This is the runtime that was asked for", (t) => {
  assert.ok(process.version.startsWith(process.env.COMPAT_NODE), process.version);
  const fromPackage = createRequire(require.resolve("pulumi-data-connectivity"));
  const axios = fromPackage("axios/package.json").version;
  assert.equal(axios, process.env.COMPAT_AXIOS ?? axios);
  t.diagnostic(`${process.version}, @pulumi/pulumi ${require("@pulumi/pulumi/package.json").version}, axios ${axios}`);
});

let service, provider;
before(async () => {
  service = await startEmulator();
  provider = await startProvider(service);
  await provider.configure({});
});
after(() => Promise.all([provider?.stop(), service.stop()]));

const query = { ...declared, params: { query: "SELECT 1" } };
for (const [name, inputs] of Object.entries({ cachingJob: declared, scheduledQueryJob: query })) {
  test(`The text that is in users' state is loaded as ${name} and serves every call`, async () => {
    const news = { ...inputs, __provider: saved(name) };
    assert.deepEqual(await provider.check(name, news), { inputs: news, failures: [] });
    const wrong = await provider.check(name, { ...news, intervalValue: 0 });
    assert.match(wrong.failures[0].reason, /intervalValue/);

    const created = await provider.create(name, news);
    const job = service.jobs.at(-1);
    assert.equal(created.id, job.id);
    assert.equal(created.outputs.job.id, job.id);
    assert.equal(created.outputs.origin.outcome, "created");

    assert.equal((await provider.diff(name, created, news)).changes, false);
    await assert.rejects(provider.diff(name, created, { ...news, intervalValue: 5 }), /intervalValue/);
    const looked = { ...news, changedAtService: "2026-11-01", intervalValue: 5 };
    assert.equal((await provider.diff(name, created, looked)).changes, true);
    assert.equal((await provider.update(name, created, looked)).outputs.intervalValue, 5);

    assert.equal((await provider.read(name, created)).id, job.id);
    await assert.rejects(provider.delete(name, created), /keeps running/);
  });
}

test("A create without a clear answer reaches the engine as one to record", async (t) => {
  const lossy = await startEmulator({ faults: [{ kind: "reset", on: "create", processed: true }] });
  t.after(() => lossy.stop());
  const itsProvider = await startProvider(lossy);
  t.after(() => itsProvider.stop());
  await itsProvider.configure({});
  const create = itsProvider.create("orders", { ...declared, __provider: saved("cachingJob") });
  const recorded = recordedBy(await create.catch((error) => error));
  assert.match(recorded.id, /^unconfirmed-/);
  assert.equal(recorded.outputs.origin.outcome, "unconfirmed");
  assert.match(recorded.reasons[0], /may or may not exist/);
  assert.equal(lossy.jobs.length, 1);
});

test("A program runs under the mocks, asks for the data sources, and its resources keep their place in the source", async () => {
  const mocks = await setProviderMocks(service);
  try {
    const monitor = pulumi.runtime.getMonitor();
    const positions = [];
    const register = monitor.registerResource.bind(monitor);
    monitor.registerResource = (request, ...rest) => {
      if (request.getCustom()) positions.push(request.getSourceposition()?.toObject());
      return register(request, ...rest);
    };
    const { dataSources } = await ours.getDataSources();
    assert.ok(dataSources.some(({ dataSource }) => dataSource === "Snowflake"));

    const { line, make } = declareHere();
    const { stackTraceLimit } = Error;
    const orders = make();
    assert.equal(Error.stackTraceLimit, stackTraceLimit);
    assert.equal(await valueOf(orders.job.id), service.jobs.at(-1).id);
    assert.equal(await valueOf(orders.intervalValue), 4);
    assert.equal(await valueOf(orders.enabled), undefined);
    assert.equal(positions.length, 1);
    assert.match(positions[0].uri, /contract\.cjs$/);
    assert.equal(positions[0].line, line);
  } finally {
    await mocks.stop();
  }
});

/** `make` creates a resource as a user's program does, on line `line` of this file. */
function declareHere() {
  const line = Number(/contract\.cjs:(\d+)/.exec(new Error().stack)[1]) + 2;
  // prettier-ignore
  return { line: line, make: () => new ours.CachingJob("orders", declared) };
}
