import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { unmarshal } from "../../../provider/src/hosts/protocolValues.js";
import { posts, stopAll } from "../../support/emulated.js";
import { saying } from "../../support/matchers.js";
import { recordedBy, savedByFailed, struct } from "../../support/driver/calls.js";
import { pluginAt } from "../../support/driver/process.js";
import { inputs, secret, urnOf } from "../../support/plugin/inputs.js";

afterEach(stopAll);

describe("Mode create", () => {
  test("refuses a change before it happens, and a delete", async () => {
    const { service, plugin, run } = await pluginAt();
    const saved = await plugin.create("orders", inputs());
    await expect(plugin.diff("orders", saved, inputs("ITEMS"))).rejects.toThrow(
      /CachingJob "orders": .*\n.*"ORDERS" → "ITEMS"/,
    );
    await expect(plugin.delete("items", saved)).rejects.toThrow(
      /documents no way to delete a job[^]*all jobs[^]*pulumi config set data-connectivity:protect false/,
    );
    await expect(plugin.delete("again", saved)).rejects.toThrow(
      /^CachingJob "again": job \S+ at \S+ cannot be deleted either: .* see the error on CachingJob "items"\.$/,
    );
    const own = await run({}, { name: "eu" });
    await expect(own.delete("items", saved)).rejects.toThrow('protect "false" in the inputs of the provider');
    expect(service.requests.filter(({ method }) => method !== "GET")).toHaveLength(1);
  });

  test("refuses a replacement that no change of the job causes: replaceWith and replacementTrigger", async () => {
    const { plugin, run } = await pluginAt();
    const saved = await plugin.create("orders", inputs());
    /** The failures of the checks with which the engine replaces a resource. `compares`: a diff comes between them. */
    const replace = async (by: typeof plugin, compares: boolean) => {
      const first = await by.check("orders", inputs(), inputs());
      if (compares) await by.diff("orders", saved, inputs());
      const again = await by.check("orders", inputs());
      return [...first.failures, ...again.failures].map(({ reason }) => reason);
    };
    expect(await replace(await run(), false)).toEqual([
      saying('CachingJob "orders": the option replaceWith or replacementTrigger replaces the resource'),
    ]);
    expect(await replace(await run(), true)).toEqual([]);
    expect(await replace(await run({ jobOperations: "all" }), false)).toEqual([]);
    expect((await (await run()).check("orders", inputs())).failures).toEqual([]);
  });

  test("sends a create within the resource's own customTimeouts", async () => {
    const { plugin } = await pluginAt(
      { timeoutSeconds: 3600 },
      { faults: [{ kind: "reply", on: "create", status: 102 }] },
    );
    const news = new messages.CreateRequest().setUrn(urnOf("orders")).setProperties(struct(inputs())).setTimeout(1);
    await expect(plugin.call("create", news)).rejects.toThrow("unconfirmed");
  });

  test("shows no value of params in a refusal where additionalParams has a secret: both are sent as one object", async () => {
    const { plugin } = await pluginAt();
    const more = { additionalParams: { key: secret("HUSH") } };
    const saved = await plugin.create("orders", inputs("ORDERS", more));
    await expect(plugin.diff("orders", saved, inputs("ITEMS", more))).rejects.toThrow(
      "params.sourceTable (values are not shown: they may be secret)",
    );
  });

  test("lets each repetition of a create by an onError hook fail, and sends nothing for it", async () => {
    const { service, plugin } = await pluginAt({}, { faults: [{ kind: "reset", on: "create" }] });
    const ids = new Set<string>();
    for (let call = 0; call < 3; call += 1) ids.add((await savedByFailed(plugin.create("orders", inputs()))).id);
    expect([...ids]).toEqual([expect.stringMatching(/^unconfirmed-/)]);
    expect(posts(service.requests)).toBe(1);
  });

  test("ends endless repetitions with a success that has the record, and with its message as a warning", async () => {
    const { service, plugin } = await pluginAt({}, { faults: [{ kind: "reset", on: "create" }] });
    const { id } = await savedByFailed(plugin.create("orders", inputs()));
    for (let call = 1; call < 50; call += 1) await savedByFailed(plugin.create("orders", inputs()));
    const saved = await plugin.create("orders", inputs());
    expect(saved).toMatchObject({ id, outputs: { origin: { outcome: "unconfirmed" } } });
    expect(plugin.engine.logged).toMatchObject([{ severity: "WARNING", message: saying(`is recorded as ${id}`) }]);
    expect(posts(service.requests)).toBe(1);
  });

  test("says by what to recognize an unconfirmed job, except for what is secret", async () => {
    const { plugin } = await pluginAt({}, { faults: [{ kind: "reset", on: "create" }] });
    const more = { additionalParams: { key: secret("HUSH") } };
    const lost = plugin.create("orders", inputs("ORDERS", more));
    await expect(lost).rejects.toThrow(/ sourceTable ORDERS, intervalUnit(?![^]*HUSH)/);
  });

  test("keeps an unconfirmed create that is not declared any more, unless it was replaced or protect is false", async () => {
    const { plugin, run } = await pluginAt({}, { faults: [{ kind: "reset", on: "create" }] });
    const recorded = await savedByFailed(plugin.create("orders", inputs()));
    await expect(plugin.delete("orders", recorded)).rejects.toThrow(
      /^CachingJob "orders": its create, sent to[^]*Wait until \S+: a job can appear until then/,
    );
    // As the engine ends its run.
    plugin.process.kill("SIGINT");
    await plugin.process.ended;
    const [unprotected, replacing] = [await run({ protect: false }), await run()];
    await replacing.create("orders", inputs("ITEMS"));
    for (const next of [unprotected, replacing]) {
      await next.delete("orders", recorded);
      expect(next.lines).toEqual([saying("), it keeps running")]);
      expect(next.engine.logged).toMatchObject([{ severity: "WARNING" }]);
    }
  });

  test("forgets a job that was replaced in this run, and says that an adopted one stays", async () => {
    const { service, plugin, run } = await pluginAt();
    const old = await plugin.create("orders", inputs());
    const next = await run();
    await expect(next.delete("orders", old)).rejects.toThrow("documents no way to delete a job");
    const replacement = await next.create("orders", inputs());
    await next.delete("orders", old);
    await expect(next.delete("orders", replacement)).rejects.toThrow("documents no way to delete a job");
    const items = await plugin.create("items", inputs("ITEMS"));
    await next.create("items", inputs("ITEMS", { existingJobId: items.id }));
    await next.delete("items", items);
    const leaves = saying(`job ${old.id} leaves the stack, because another one replaced it`);
    const stays = saying(`job ${items.id} stays in the stack: the resource adopted it again`);
    expect(next.lines).toEqual([leaves, stays]);
    expect(service.jobs).toHaveLength(3);
  });

  test("records a create without a clear answer, with the inputs and which of them are secret", async () => {
    const { plugin } = await pluginAt({}, { faults: [{ kind: "reply", on: "create", status: 503 }] });
    const failed = await plugin.create("orders", inputs(secret("HUSH"))).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 2 });
    const recorded = recordedBy(failed);
    expect(recorded?.reasons).toEqual([saying("unconfirmed")]);
    expect(recorded?.inputs).toEqual(inputs(secret("HUSH")));
    expect(unmarshal(recorded?.outputs)).toMatchObject({
      values: { origin: { outcome: "unconfirmed" } },
      secrets: [["job"], ["params", "sourceTable"]],
    });
  });

  test("shows no change of an unconfirmed create in a refresh, and says nothing of an update: a refresh makes none", async () => {
    const { plugin, run } = await pluginAt({}, { faults: [{ kind: "reply", on: "create", status: 503 }] });
    const recorded = await savedByFailed(plugin.create("orders", inputs()));
    const next = await run({}, { engine: plugin.engine });
    expect((await next.read("orders", recorded)).id).toBe(recorded.id);
    const { length } = next.lines;
    const { changes } = await next.diff("orders", recorded, inputs());
    expect([changes, next.lines.slice(length)]).toEqual([false, []]);
  });

  test("leaves in a refresh what the classes wrote, so that they have nothing to save again", async () => {
    const { plugin, run } = await pluginAt();
    const saved = await plugin.create("orders", inputs());
    const outputs = { ...saved.outputs, __provider: "exports.handler=1" };
    const { outputs: found } = await (await run()).read("orders", { ...saved, outputs });
    expect(found).toEqual(outputs);
  });

  test("says once what becomes of the protection of jobs that the classes made", async () => {
    const { plugin } = await pluginAt();
    const olds = { ...inputs(), __provider: "exports.handler=1" };
    for (const name of ["orders", "items"]) await plugin.check(name, inputs(name), olds);
    expect(plugin.lines).toEqual([saying("protect: true and retainOnDelete: true")]);
  });
});
