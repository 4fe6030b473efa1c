import { secretSignature, signature } from "../../../provider/src/hosts/engineNames.js";
import { isObject, type Json, type JsonObject } from "../../../provider/src/json.js";
import { cachingBody } from "../../support/all/declarations.js";
import { recordedBy, type Saved } from "../../support/driver/calls.js";
import { pluginHere } from "../../support/driver/here.js";
import { start, stopAll } from "../../support/emulated.js";
import { FastClock } from "../../support/fastClock.js";
import { inputs, secret, urnOf } from "../../support/plugin/inputs.js";

// A secret that is not where it was: the marks of the state or of the program name another place, or there are none yet.

afterEach(stopAll);

const inClear = (properties: JsonObject = {}): string =>
  JSON.stringify(properties, (_member, value: unknown) =>
    isObject(value) && "4dabf18193072939515e22adb298388d" in value ? "hidden" : value,
  );

async function placeOf() {
  const clock = new FastClock();
  const service = await start({ now: clock.now, lagMs: 60_000 });
  const run = async (exportStack?: () => Promise<string>) => {
    const plugin = pluginHere(undefined, {}, { clock, ...(exportStack && { exportStack }) });
    const { baseUrl, token } = service;
    await plugin.configure({ baseUrl, token: secret(token), jobOperations: "all", timeoutSeconds: "60" });
    return plugin;
  };
  return { clock, service, run };
}

test.each<[string, Json]>([
  ["a text", "Bearer HUSH"],
  ["an array", [{ auth: "HUSH" }]],
  ["another member", { authorization: "HUSH" }],
])("A refresh saves no secret in clear text if the service reports it in %s", async (_what, reported) => {
  const { clock, service, run } = await placeOf();
  const declared = inputs("ORDERS", { additionalParams: { headers: { auth: secret("HUSH") }, other: "a" } });
  const saved = await (await run()).create("orders", declared);
  clock.pass(600_000);
  const [job] = service.jobs;
  service.changeJob(String(job?.id), { params: { ...job?.params, headers: reported } });
  const read = await (await run()).read("orders", saved);
  expect([inClear(read.outputs), inClear(read.inputs)].join()).not.toContain("HUSH");
});

const recorded = async (call: Promise<Saved>) => {
  const saved = recordedBy(await call.catch((error: unknown) => error));
  if (saved === undefined) throw new Error("Nothing was recorded.");
  return saved;
};

test("A refresh saves no secret in clear text that only a lost resend has sent", async () => {
  const { clock, service, run } = await placeOf();
  service.inject({ kind: "reset", on: "create", processed: false });
  const first = await recorded((await run()).create("orders", inputs("ORDERS")));
  clock.pass(600_000);
  service.inject({ kind: "reset", on: "create", processed: true });
  const more = inputs("ORDERS", { additionalParams: { password: secret("HUSH") } });
  const second = await recorded((await run()).update("orders", first, more));
  clock.pass(600_000);
  // After a failed update, the engine keeps the old inputs.
  const read = await (await run()).read("orders", { ...second, inputs: first.inputs });
  clock.pass(600_000);
  service.changeJob(String(service.jobs[0]?.id), { intervalValue: 9 });
  const drifted = await (await run()).read("orders", { ...second, ...read });
  expect([inClear(drifted.outputs), inClear(drifted.inputs)].join()).not.toContain("HUSH");
});

test("A failed update saves no secret of the earlier declaration in clear text whose member has another name by now", async () => {
  const { clock, service, run } = await placeOf();
  service.inject({ kind: "reset", on: "create", processed: true });
  const before = inputs("ORDERS", { additionalParams: { oldPassword: secret("HUSH"), password: "plain" } });
  const first = await recorded((await run()).create("orders", before));
  clock.pass(600_000);
  service.inject({ kind: "reply", on: "update", status: 400, processed: false });
  const now = inputs("ORDERS", { additionalParams: { password: secret("HUSH") } });
  const second = await recorded((await run()).update("orders", first, now));
  expect([inClear(second.outputs), inClear(second.inputs)].join()).not.toContain("HUSH");
});

const encrypted = { [signature]: secretSignature, ciphertext: "v1:abc:def" };

/** The state of a stack in which a run was killed in a request about the resource, of which everything was secret. */
const killedIn =
  (type: "creating" | "updating", clock: FastClock, saved?: Saved, more: JsonObject = {}) =>
  () => {
    const named = { urn: urnOf("orders"), type: "data-connectivity:index:CachingJob" };
    const resources = saved === undefined ? [] : [{ ...named, custom: true, ...saved }];
    const hidden = { ...inputs(), params: encrypted, additionalParams: encrypted };
    const pending = { type, resource: { ...named, inputs: hidden, ...more } };
    const manifest = { time: new Date(clock.now()).toISOString() };
    const deployment = { manifest, resources, pending_operations: [pending] };
    return Promise.resolve(JSON.stringify({ version: 3, deployment }));
  };

test.each<[string, JsonObject]>([
  ["", {}],
  [" and renamed the resource", { urn: urnOf("renamed"), aliases: [urnOf("orders")] }],
])("After a run was killed in a change that made a value secret%s, a refresh saves it as a secret", async (_, more) => {
  const { clock, service, run } = await placeOf();
  const saved = await (await run()).create("orders", inputs("ORDERS"));
  const exportStack = killedIn("updating", clock, saved, more);
  clock.pass(7_200_000);
  const [job] = service.jobs;
  service.changeJob(String(job?.id), { params: { ...job?.params, sourceTable: "HUSH" } });
  const read = await (await run(exportStack)).read("orders", saved);
  expect(JSON.stringify([read.outputs, read.inputs])).toContain("HUSH");
  expect([inClear(read.outputs), inClear(read.inputs)].join()).not.toContain("HUSH");
});

test("An import of the job of a killed create saves its secrets as secrets", async () => {
  const { clock, service, run } = await placeOf();
  const { id } = service.addJob(cachingBody("HUSH"));
  const exportStack = killedIn("creating", clock);
  clock.pass(7_200_000);
  const read = await (await run(exportStack)).import("orders", id);
  expect(JSON.stringify([read.outputs, read.inputs])).toContain("HUSH");
  expect([inClear(read.outputs), inClear(read.inputs)].join()).not.toContain("HUSH");
});

test.each(["up", "refresh"])(
  "After a run was killed in a change that added a secret member, %s keeps it secret",
  async (how) => {
    const { clock, service, run } = await placeOf();
    const saved = await (await run()).create("orders", inputs("ORDERS"));
    const exportStack = killedIn("updating", clock, saved);
    clock.pass(7_200_000);
    const [job] = service.jobs;
    service.changeJob(String(job?.id), { params: { ...job?.params, password: "HUSH" } });
    const plugin = await run(exportStack);
    const changed = inputs("ORDERS", { intervalValue: 9 });
    const now = await (how === "up" ? plugin.update("orders", saved, changed) : plugin.read("orders", saved));
    expect([inClear(now.outputs), inClear(now.inputs)].join()).not.toContain("HUSH");
    expect(service.jobs).toMatchObject([{ params: { password: "HUSH" } }]);
  },
);
