import { isObject, type JsonObject } from "../../../provider/src/json.js";
import { posts, start, stopAll } from "../../support/emulated.js";
import type { TestFault } from "../../support/emulator/index.js";
import { recordedBy, type Saved } from "../../support/driver/calls.js";
import { pluginAt, startPlugin } from "../../support/driver/process.js";
import { inputs, secret } from "../../support/plugin/inputs.js";

afterEach(stopAll);

/** The properties as text, except values marked as secrets. */
const open = (properties: JsonObject = {}): string =>
  JSON.stringify(properties, (_member, value: unknown) =>
    isObject(value) && "4dabf18193072939515e22adb298388d" in value ? "hidden" : value,
  );

const planted = (name: string, more: JsonObject = {}): JsonObject =>
  inputs(secret(`HUSH_${name}`), { additionalParams: { list: [secret(`HUSH_LIST_${name}`), 1] }, ...more });

/** An error reply that echoes the token, and the secrets of the jobs called `names`. */
const echo = (on: "create" | "update" | "delete", status: number, token: string, ...names: string[]): TestFault => ({
  kind: "reply",
  on,
  status,
  body: names.map((name) => `no HUSH_${name}, no HUSH_LIST_${name} and no ${token}`).join(),
});

test.each(["create", "all"])(
  "A secret of the inputs and the token are in no open value, message or line, with jobOperations %s",
  async (jobOperations) => {
    const service = await start();
    const { baseUrl, token } = service;
    const config = { baseUrl, token: secret(token), jobOperations, timeoutSeconds: 8 };
    const plugin = await startPlugin(config, { env: { DATA_CONNECTIVITY_LOG: "debug" } });
    const shown: string[] = [];
    const saved = async (call: Promise<Saved>): Promise<Saved | undefined> => {
      const outcome = await call.catch((error: unknown) => {
        shown.push(String(error));
        return recordedBy(error);
      });
      if (outcome !== undefined) shown.push(open(outcome.outputs), open(outcome.inputs));
      return outcome;
    };

    for (const news of [planted("items", { intervalValue: secret("HUSH") }), planted("items")]) {
      const checked = await plugin.check("items", news);
      shown.push(JSON.stringify(checked.failures), open(checked.inputs));
    }
    await saved(plugin.create("items", planted("items"), true));
    service.inject(echo("create", 400, token, "items"));
    await saved(plugin.create("items", planted("items")));
    const orders = await saved(plugin.create("orders", planted("orders")));
    if (orders === undefined) throw new Error("The job was not created.");
    // The second declaration has no secrets: only the saved state does.
    for (const news of [planted("items"), inputs("ITEMS")]) {
      shown.push(JSON.stringify(await plugin.diff("orders", orders, news).catch(String)));
      await saved(plugin.update("orders", orders, news, true));
    }
    const confirmed = inputs("ITEMS", { changedAtService: "today" });
    expect((await saved(plugin.update("orders", orders, confirmed)))?.id).toBe(orders.id);
    service.inject(echo("update", 400, token, "orders", "items"));
    await saved(plugin.update("orders", orders, planted("items")));
    const read = await plugin.read("orders", orders);
    shown.push(open(read.outputs), open(read.inputs));
    service.inject(echo("delete", 400, token, "orders"));
    shown.push(await plugin.delete("orders", orders).then(() => "deleted", String));
    service.inject({ ...echo("create", 503, token, "other"), processed: true, times: -1 });
    await saved(plugin.create("other", planted("other")));

    const text = [...shown, ...plugin.lines, plugin.process.printed()].join("\n");
    expect(shown.length).toBeGreaterThan(15);
    expect(plugin.said()).toContain("POST /api/job/create 400");
    expect(text).toContain("no <params.sourceTable>");
    expect(text).not.toContain("HUSH");
    expect(text).not.toContain(token);
  },
);

describe.each(["create", "all"])("A value that becomes secret, with jobOperations %s,", (jobOperations) => {
  const extra = (value: string | JsonObject) => ({ additionalParams: { list: [value, 1], other: "a" } });
  test.each<[string, JsonObject, JsonObject]>([
    ["a member of params", inputs("HUSH"), inputs(secret("HUSH"))],
    ["an element of an array", inputs("ORDERS", extra("HUSH")), inputs("ORDERS", extra(secret("HUSH")))],
    ["beside another secret", inputs("HUSH", extra(secret("A"))), inputs(secret("HUSH"), extra(secret("A")))],
  ])("is secret in the outputs after one update, which sends nothing: %s", async (_what, plain, hushed) => {
    const { plugin, service } = await pluginAt({ jobOperations });
    const saved = await plugin.create("orders", plain);
    expect(open(saved.outputs)).toContain("HUSH");
    expect((await plugin.diff("orders", saved, hushed)).changes).toBe(true);
    const sent = service.requests.length;
    const updated = await plugin.update("orders", saved, hushed);
    expect(open(updated.outputs)).not.toContain("HUSH");
    expect((await plugin.diff("orders", updated, hushed)).changes).toBe(false);
    // A value that is no secret any more, and a secret null, are no reason for an update.
    const more = { ...plain, definedNextRun: { ...secret(""), value: null } };
    expect((await plugin.diff("orders", updated, more)).changes).toBe(false);
    expect([posts(service.requests), service.requests.length]).toEqual([1, sent]);
  });
});
