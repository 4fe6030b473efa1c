import { cachingBody } from "../support/all/declarations.js";
import { start, stopAll } from "../support/emulated.js";
import { deferred } from "../support/deferred.js";
import { pluginHere } from "../support/driver/here.js";
import { FastClock } from "../support/fastClock.js";
import { saying } from "../support/matchers.js";
import { inputs, secret, urnOf } from "../support/plugin/inputs.js";
import { resending } from "../support/resending.js";

afterEach(stopAll);

const type = "data-connectivity:index:CachingJob";
const provider = `${urnOf("default", "pulumi:providers:data-connectivity")}::id`;
const known = {
  urn: urnOf("known"),
  type,
  custom: true,
  id: "job-1",
  inputs: inputs("KNOWN"),
  outputs: {
    ...inputs("KNOWN"),
    job: { id: "job-1" },
    origin: { outcome: "created", baseUrl: "https://service.test", at: "2026-01-01T00:00:00Z" },
  },
};
/** The state after a killed run, which had begun the create of `lost`. */
const state = {
  deployment: {
    manifest: { time: "2026-01-02T03:04:05Z" },
    resources: [{ urn: urnOf("acceptance-test", "pulumi:pulumi:Stack") }, known],
    pending_operations: [
      { type: "creating", resource: { urn: urnOf("lost"), type, inputs: inputs("LOST"), provider } },
    ],
  },
};
const later = "2026-01-02T03:04:06Z";

async function checked(name: string, table: string, { more = {}, olds = {}, mode = "create", resendBefore = "" } = {}) {
  const said: string[] = [];
  let asked = 0;
  const exportStack = () => {
    asked += 1;
    return Promise.resolve(JSON.stringify(state));
  };
  const env = resendBefore === "" ? {} : resending(resendBefore, urnOf(name));
  const plugin = pluginHere((line) => said.push(line), env, { exportStack });
  await plugin.configure({ baseUrl: "https://service.test", token: secret("x"), jobOperations: mode });
  const [failure] = (await plugin.check(name, inputs(table, more), olds)).failures;
  return { failure: failure?.reason, said: said.join("\n"), asked };
}

const refusal =
  'CachingJob "lost": its create is unconfirmed: a run was killed in it at 2026-01-02T03:04:05.000Z or before, so the job may exist. Nothing was sent.';

test.each([
  ["that the killed run had begun", "lost", "LOST", {}, refusal],
  ["that was edited since", "lost", "EDITED", {}, refusal],
  [
    "of the same source under another name",
    "renamed",
    "LOST",
    {},
    'the create of CachingJob "lost", of the same source',
  ],
  [
    "before the state's last write, if a resend is allowed up to then",
    "lost",
    "LOST",
    { resendBefore: "2026-01-02T03:04:05Z" },
    refusal,
  ],
])("A create %s is refused, with the ways to resolve it", async (_, name, table, options, expected) => {
  const { failure, asked } = await checked(name, table, options);
  expect(failure).toContain(expected);
  expect(failure).toContain("If the job exists, give its id to one run: DATA_CONNECTIVITY_ADOPT_UNCONFIRMED=");
  expect(failure).toContain("If the job does not exist, resend its create once");
  expect(failure).toContain("pulumi refresh --clear-pending-creates --yes --non-interactive");
  expect(asked).toBe(1);
});

test.each([
  ["another job", "orders", "ORDERS", {}, 1],
  ["a job that is adopted", "lost", "LOST", { more: { existingJobId: "7" } }, 1],
  ["a job that exists", "lost", "LOST", { olds: inputs("LOST") }, 0],
  ["mode all, which looks for the job at the service", "lost", "LOST", { mode: "all" }, 1],
  ["a resend that is allowed up to a later time", "lost", "LOST", { resendBefore: later }, 1],
])("An open create does not stop %s", async (_, name, table, options, asks) => {
  const { failure, asked } = await checked(name, table, options);
  expect([failure, asked]).toEqual([undefined, asks]);
});

test("Nothing is recorded, not even an adoption, before the killed run's last write is known", async () => {
  const exported = deferred();
  const order: string[] = [];
  const exportStack = async () => {
    await exported.promise;
    order.push("exported");
    return JSON.stringify(state);
  };
  const plugin = pluginHere(() => undefined, {}, { exportStack });
  await plugin.configure({ baseUrl: "https://service.test", token: secret("x") });
  const adopted = plugin
    .check("orders", inputs("ORDERS", { existingJobId: "7" }), {})
    .then(() => order.push("adopted"));
  await plugin.check("items", inputs("ITEMS"), inputs("ITEMS")).then(() => order.push("exists"));
  exported.resolve();
  await adopted;
  expect(order).toEqual(["exists", "exported", "adopted"]);
});

test("A new resource whose source a job of the stack has is named with the alias that keeps the job", async () => {
  const { failure, said } = await checked("new", "KNOWN");
  expect(failure).toContain('CachingJob "new": CachingJob "known" of this stack has a job for this source (job job-1)');
  expect(failure).toContain('aliases: [{ name: "known" }]');
  expect(said).toBe("");
  expect((await checked("new", "OTHER")).said).toBe("");
  expect((await checked("known", "KNOWN")).said).toBe("");
});

test.each(["create", "all"])(
  "A resend waits before the engine begins it, so that the state shows another run that its time was used: mode %s",
  async (jobOperations) => {
    const clock = new FastClock();
    const time = clock.now() + 8000;
    const env = resending(time, urnOf("lost"));
    const exportStack = () => Promise.resolve(JSON.stringify(state));
    const plugin = pluginHere(() => undefined, env, { exportStack, clock });
    await plugin.configure({ baseUrl: "https://service.test", token: secret("x"), jobOperations });
    expect((await plugin.check("lost", inputs("LOST"), {})).failures).toEqual([]);
    expect(clock.now()).toBeGreaterThan(time);
  },
);

/** A state with an unconfirmed create of long ago, last written by a clock that is this far ahead. */
async function comparedAhead(aheadMs: number, resendBefore: (printed: string, savedAt: number) => string) {
  const clock = new FastClock();
  const savedAt = Date.now() + aheadMs;
  const origin = { outcome: "unconfirmed", baseUrl: "https://service.test", at: "2026-01-01T00:00:00Z" };
  const lost = { id: "unconfirmed-1", inputs: inputs("LOST"), outputs: { ...inputs("LOST"), job: {}, origin } };
  const [stack] = state.deployment.resources;
  const resources = [stack, { urn: urnOf("lost"), type, provider, ...lost }];
  const written = { deployment: { manifest: { time: new Date(savedAt).toISOString() }, resources } };
  const exportStack = () => Promise.resolve(JSON.stringify(written));
  const compare = async (time = "") => {
    const env = time === "" ? {} : resending(time, urnOf("lost"));
    const plugin = pluginHere(() => undefined, env, { exportStack, clock });
    await plugin.configure({ baseUrl: "https://service.test", token: secret("x"), jobOperations: "create" });
    await plugin.check("lost", lost.inputs, lost.inputs);
    const changes = plugin.diff("lost", lost, lost.inputs).then(() => plugin.update("lost", lost, lost.inputs, true));
    return changes.then(
      () => "",
      (error: unknown) => String(error),
    );
  };
  const [, printed = ""] = /RESEND_UNCONFIRMED='\{".*":"(.*)"\}' pulumi up/.exec(await compare()) ?? [];
  return { failure: await compare(resendBefore(printed, savedAt)), endedAt: clock.now(), savedAt };
}

test.each([-900_000, 900_000, 86_400_000])(
  "The printed command is accepted for a state whose clock is %d ms ahead, and its run ends after the state's time",
  async (aheadMs) => {
    const { failure, endedAt, savedAt } = await comparedAhead(aheadMs, (printed) => printed);
    expect(failure).toBe("");
    expect(endedAt).toBeGreaterThan(savedAt);
  },
);

test("A resend that would have to wait for more than ten minutes, or after the state's time, is refused", async () => {
  const after = (ms: number) => new Date(ms + 660_000).toISOString();
  const late = "more than ten minutes later than now";
  expect((await comparedAhead(0, () => "9999-01-01T00:00:00Z")).failure).toContain(late);
  expect((await comparedAhead(900_000, (_printed, savedAt) => after(savedAt))).failure).toContain(late);
});

test("A killed run's create is not looked for with another provider, whose account may be another", async () => {
  const service = await start();
  const exportStack = () => Promise.resolve(JSON.stringify(state));
  const plugin = pluginHere(() => undefined, {}, { exportStack });
  await plugin.configure({ baseUrl: service.baseUrl, token: secret(service.token), jobOperations: "all" }, "eu");
  await plugin.check("lost", inputs("LOST"), {});
  for (const isPreview of [true, false])
    await expect(plugin.create("lost", inputs("LOST"), isPreview)).rejects.toMatchObject({
      message: saying("It was sent with other settings:\n  provider: that of the killed run → another one"),
    });
  expect(service.requests).toEqual([]);
});

test.each([
  ["up", true, ["a run was killed in it", "Wait until ", "If it does not exist, resend the create once"]],
  ["a preview", false, ["is under way, or a run was killed in it", "First see whether a run of this stack"]],
] as const)("Of such a create, %s says no more than it knows", async (_name, holdsLock, expected) => {
  const time = new Date().toISOString();
  const exportStack = () =>
    Promise.resolve(JSON.stringify({ deployment: { ...state.deployment, manifest: { time } } }));
  const command = { name: holdsLock ? ("up" as const) : ("preview" as const), holdsLock, clearsPendingCreates: false };
  const plugin = pluginHere(() => undefined, {}, { exportStack, command });
  await plugin.configure({ baseUrl: "https://service.test", token: secret("x"), jobOperations: "all" }, "eu");
  await plugin.check("lost", inputs("LOST"), {});
  const failure = await plugin.create("lost", inputs("LOST"), true).then(String, String);
  for (const text of expected) expect(failure).toContain(text);
  expect(failure.includes("DATA_CONNECTIVITY_RESEND_UNCONFIRMED")).toBe(holdsLock);
});

test("A create that is allowed again says so", async () => {
  const { said } = await checked("lost", "LOST", { resendBefore: later });
  expect(said).toContain(
    'CachingJob "lost": its create is unconfirmed: a run was killed in it at 2026-01-02T03:04:05.000Z or before. It is sent now',
  );
});

test.each([
  ["of this very run is not a killed run's", false, true, []],
  ["that a killed run had begun is said, once", true, true, [": a run was killed in a change of this job, at"]],
  ["that a run beside a preview has begun may be under way", true, false, ["is under way, or a run was killed in it"]],
])("a change %s", async (_what, wasKilled, holdsLock, expected) => {
  const service = await start();
  service.addJob(cachingBody("KNOWN"), { id: "job-1" });
  let hasBegun = wasKilled;
  const exportStack = () => {
    const pending = hasBegun ? [{ type: "updating", resource: known }] : [];
    return Promise.resolve(JSON.stringify({ deployment: { ...state.deployment, pending_operations: pending } }));
  };
  const said: string[] = [];
  const command = { name: holdsLock ? ("up" as const) : ("preview" as const), holdsLock, clearsPendingCreates: false };
  const plugin = pluginHere((line) => said.push(line), {}, { exportStack, command });
  await plugin.configure({ baseUrl: service.baseUrl, token: secret(service.token), jobOperations: "all" });
  const origin = { ...known.outputs.origin, baseUrl: service.baseUrl };
  const saved = { id: "job-1", inputs: known.inputs, outputs: { ...known.outputs, origin } };
  const news = inputs("KNOWN", { intervalValue: 9 });
  await plugin.check("known", news, known.inputs);
  await plugin.diff("known", saved, news);
  // From here on, the engine's state has the update of this run.
  hasBegun = true;
  await plugin.update("known", saved, news);
  expect(service.jobs).toMatchObject([{ body: { intervalValue: 9 } }]);
  const told = said.filter((line) => line.includes("a run was killed"));
  expect(told).toHaveLength(expected.length);
  for (const text of expected) expect(told.join()).toContain(text);
});
