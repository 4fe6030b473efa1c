import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { posts, start, stopAll } from "../../support/emulated.js";
import { startFakeEngine, startProcess, type FakeEngine } from "../../support/driver/process.js";
import { inputs, secret } from "../../support/plugin/inputs.js";

afterEach(stopAll);

/** A process that a developer started for PULUMI_DEBUG_PROVIDERS: its arguments have no engine address. */
async function setUp() {
  const { baseUrl, token, requests, jobs } = await start();
  const plugin = await startProcess("plugin", { args: [] });
  const attach = async (engine: FakeEngine): Promise<void> => {
    await plugin.call("handshake", new messages.ProviderHandshakeRequest().setEngineAddress(engine.address));
    await plugin.call("attach", new PluginAttach().setAddress(engine.address));
  };
  const configure = () => plugin.configure({ baseUrl, token: secret(token), jobOperations: "all" });
  /** Makes the calls with which each command, or a command's preview, begins. */
  const run = async (): Promise<FakeEngine> => {
    const engine = await startFakeEngine();
    await attach(engine);
    await configure();
    return engine;
  };
  return { plugin, attach, run, requests, jobs };
}

describe("A process to which engines attach", () => {
  test("serves one run after the other: the end of the one cancels nothing of the next", async () => {
    const { plugin, run, jobs } = await setUp();
    await run();
    await plugin.create("orders", inputs(), true);
    await plugin.cancel();
    await run();
    const orders = await plugin.create("orders", inputs());
    await plugin.cancel();
    await run();
    await plugin.delete("orders", orders);
    expect(jobs).toEqual([]);
  });

  test("ends the waits of a run that is cancelled, also where its engine attached twice", async () => {
    const { plugin, attach, run, requests } = await setUp();
    await attach(await run());
    await plugin.cancel();
    await expect(plugin.create("orders", inputs())).rejects.toThrow("The run was cancelled.");
    expect(posts(requests)).toBe(0);
  });

  test("sends nothing more for an engine that is gone", async () => {
    const { plugin, run, requests } = await setUp();
    (await run()).kill();
    await expect(plugin.create("orders", inputs())).rejects.toThrow("the create was not sent");
    expect(posts(requests)).toBe(0);
  });
});
