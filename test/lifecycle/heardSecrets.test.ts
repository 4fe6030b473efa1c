import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { signature } from "../../provider/src/hosts/engineNames.js";
import { cachingBody, cachingInputs, orders, queryInputs } from "../support/all/declarations.js";
import { encrypted, exportedWith } from "../support/all/exports.js";
import { ofPlugin, urnIn } from "../support/all/hosts.js";
import { configFor, fastStack } from "../support/all/inProcess.js";
import { upCommand } from "../support/all/runOptions.js";
import { pluginHere } from "../support/driver/here.js";
import { create, PARAMS, stopAll } from "../support/emulated.js";

// What a reply says of a job that somebody else has with a secret, or had with one.

afterEach(stopAll);

const hidden = "HUSH_HUSH";
const options = { serial: true, continueOnError: true };
const secretQuery = (query: string) => {
  const declared = queryInputs("report", { name: "daily", query });
  return { ...declared, __resource: identityFor("report", declared, ["params"]) };
};
const body = JSON.stringify({ message: `it clashes with job daily: ${hidden}` });

test.each(["create", "update"] as const)(
  "A refused request does not show another resource's secret: %s",
  async (on) => {
    const { stack, emulator, clock } = await fastStack({});
    await stack.up({ report: secretQuery(hidden), orders }, options);
    clock.pass(600_000);
    emulator.inject({ kind: "reply", status: 409, times: -1, body, on, processed: false });
    const more = on === "create" ? { items: cachingInputs("items", "ITEMS") } : {};
    const changed = on === "update" ? { ...orders, intervalValue: 9 } : orders;
    const { text } = await stack.up({ report: secretQuery(hidden), orders: changed, ...more }, options);
    expect(text).toContain("it clashes with");
    expect(text).not.toContain(hidden);
  },
);

test("A list that fails does not show the old value of a secret that is a new one by now", async () => {
  const { stack, emulator, clock } = await fastStack({});
  await stack.up({ report: secretQuery(hidden) });
  clock.pass(600_000);
  emulator.inject({ kind: "reply", status: 500, times: -1, body, on: "list" });
  const program = { report: secretQuery("select 2"), items: cachingInputs("items", "ITEMS") };
  const { text } = await stack.up(program, options);
  expect(text).toContain("it clashes with");
  expect(text).not.toContain(hidden);
});

/** As the encoders of common frameworks write JSON. */
const encoders: readonly (readonly [string, (text: string) => string])[] = [
  ["\\u0027", (text) => text.replaceAll("'", "\\u0027")],
  ["\\/", (text) => text.replaceAll("/", "\\/")],
  ["\\u00f6", (text) => text.replaceAll("ö", "\\u00f6")],
];

test.each(encoders)("A secret that a reply escapes as %s is not shown, whoever has it", async (_as, escaped) => {
  const secret = "select 1 where pw = 'hun/ter2ö'";
  const { stack, emulator, clock } = await fastStack({});
  await stack.up({ report: secretQuery(secret), orders }, options);
  clock.pass(600_000);
  const more = `{"message":"it clashes with ${escaped(secret)}"}`;
  emulator.inject({ kind: "reply", status: 409, times: -1, body: more, on: "create", processed: false });
  const program = { report: secretQuery(secret), orders, items: cachingInputs("items", "ITEMS") };
  const { text } = await stack.up(program, options);
  expect(text).toContain("it clashes with <secret>");
  expect(text).not.toContain("ter2");
});

test("A number that another resource has as a secret is not shown", async () => {
  const declared = queryInputs("report", { name: "daily", pin: 918_273 });
  const report = { ...declared, __resource: identityFor("report", declared, ["params"]) };
  const { stack, emulator, clock } = await fastStack({});
  await stack.up({ report, orders }, options);
  clock.pass(600_000);
  const more = '{"message":"it clashes with 918273"}';
  emulator.inject({ kind: "reply", status: 409, times: -1, body: more, on: "create", processed: false });
  const { text } = await stack.up({ report, orders, items: cachingInputs("items", "ITEMS") }, options);
  expect(text).toContain("it clashes with <secret>");
});

/** A run of the plugin on a state. */
async function pluginOn(
  { emulator, clock }: Pick<Awaited<ReturnType<typeof fastStack>>, "emulator" | "clock">,
  exported: string,
) {
  const exportStack = () => Promise.resolve(exported);
  const calls = pluginHere(() => undefined, {}, { clock, exportStack, command: upCommand });
  await calls.configure(ofPlugin.settings(configFor(emulator)));
  return calls;
}

/** A stack with the job of a resource whose params are a secret. */
async function owned() {
  const place = await fastStack({});
  const declared = cachingInputs("orders", hidden);
  await place.stack.up({ orders: { ...declared, __resource: identityFor("orders", declared, ["params"]) } });
  place.clock.pass(600_000);
  const exported = place.stack.export().replaceAll(JSON.stringify(declared["params"]), JSON.stringify(encrypted));
  return { ...place, exported, id: place.emulator.jobs[0]?.id ?? "" };
}

test("With the plugin, a job that the program reads stays marked when its owner has left", async () => {
  const place = await owned();
  const read = await (await pluginOn(place, place.exported)).get("lookup", place.id);
  place.stack.state.clear();
  const again = await (await pluginOn(place, place.stack.export())).get("lookup", place.id, read.outputs);
  for (const member of ["params", "job"]) expect(again.outputs[member]).toHaveProperty([signature]);
});

test("With the plugin, an import of another resource's job marks its secrets", async () => {
  const place = await owned();
  const { outputs } = await (await pluginOn(place, place.exported)).import("other", place.id);
  for (const member of ["params", "job"]) expect(outputs[member]).toHaveProperty([signature]);
});

test.each(["orders", "imported"])("With the plugin, so does that of a killed create's job: as %s", async (name) => {
  const place = await fastStack({});
  const { stack, emulator, clock } = place;
  stack.savedAt = clock.now();
  await create(emulator, cachingBody("ORDERS", { params: { ...PARAMS, sourceTable: "ORDERS", password: hidden } }));
  clock.pass(7_200_000);
  const exported = exportedWith(stack, "creating", ["orders", { ...orders, additionalParams: encrypted }]);
  const urn = urnIn(orders).replace(/orders$/, name);
  const { outputs } = await (await pluginOn(place, exported)).import(urn, emulator.jobs[0]?.id ?? "");
  expect(outputs["job"]).toHaveProperty([signature]);
});

/** A stack in which a run was killed in a change that added a secret. */
async function killedInChange() {
  const place = await fastStack({});
  const { stack, emulator, clock } = place;
  await stack.up({ orders });
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  for (const { id, params } of emulator.jobs) emulator.changeJob(id, { params: { ...params, password: hidden } });
  const sent = { ...orders, additionalParams: { password: encrypted } };
  return { ...place, exported: exportedWith(stack, "updating", ["orders", sent]), id: emulator.jobs[0]?.id ?? "" };
}

test("What a killed change added as a secret is not adopted under another name", async () => {
  const { stack, emulator, use, exported, id } = await killedInChange();
  use({}, emulator, { exportStack: () => Promise.resolve(exported), command: upCommand });
  const renamed = cachingInputs("renamed", "ORDERS", { existingJobId: id });
  const { steps, text } = await stack.up({ renamed }, options);
  expect([steps["renamed"], text]).toEqual(["failed", expect.stringContaining("params.password")]);
});

test("With the plugin, who reads such a job has it marked", async () => {
  const place = await killedInChange();
  const { outputs } = await (await pluginOn(place, place.exported)).get("lookup", place.id);
  expect(outputs["job"]).toHaveProperty([signature]);
});

test("With the plugin, the mark of a refresh stays though another secret was opened since", async () => {
  const place = await fastStack({});
  const { stack, emulator, clock } = place;
  const withPin = { ...orders, additionalParams: { pin: "1234" } };
  const secret = { ...withPin, __resource: identityFor("orders", withPin, ["additionalParams"]) };
  await stack.up({ orders: secret });
  stack.savedAt = clock.now();
  clock.pass(7_200_000);
  for (const { id, params } of emulator.jobs) emulator.changeJob(id, { params: { ...params, password: hidden } });
  const asExported = (text: string) =>
    text.replaceAll(JSON.stringify(withPin.additionalParams), JSON.stringify(encrypted));
  const killed = exportedWith(stack, "updating", ["orders", { ...orders, additionalParams: encrypted }]);
  const { id = "", outputs = {} } = stack.state.get("orders") ?? {};
  const [urn, inputs, news] = [urnIn(orders), ofPlugin.sent(secret), ofPlugin.sent(orders)];
  const first = await pluginOn(place, asExported(killed));
  const read = await first.read(urn, {
    ...{ id, inputs },
    outputs: ofPlugin.sent({ ...outputs, __resource: secret.__resource }),
  });
  const second = await pluginOn(place, asExported(stack.export()));
  await second.check(urn, news, inputs);
  const before = { id: read.id, inputs: read.inputs ?? inputs, outputs: read.outputs };
  await second.diff(urn, before, news);
  expect((await second.update(urn, before, news)).outputs["job"]).toHaveProperty([signature]);
});
