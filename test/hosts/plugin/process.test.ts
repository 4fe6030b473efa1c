import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { CallError, served, streamed } from "../../../provider/src/hosts/plugin/calls.js";
import { schemaText } from "../../../provider/src/hosts/plugin/processCalls.js";
import { serve } from "../../../provider/src/hosts/plugin/server.js";
import { version } from "../../../provider/src/version.js";
import { stopAll } from "../../support/emulated.js";
import { callOver } from "../../support/driver/calls.js";
import { answersOf } from "../../support/driver/here.js";
import { startFakeEngine, startProcess } from "../../support/driver/process.js";

afterEach(stopAll);

const clientAt = (port: number) => new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());

/** The calls that the plugin reports as not implemented. The engine works without them. */
const unserved = ["parameterize", "call", "construct", "getMapping", "getMappings"];

test("Each call of the protocol is either answered or known as one that need not be", () => {
  expect([...served, streamed, ...unserved].sort()).toEqual(Object.keys(ResourceProviderService).sort());
});

describe("A call is answered", () => {
  /** The message that the engine gets if a call throws `error`. */
  async function failing(error: Error): Promise<string> {
    const getSchema = () => {
      throw error;
    };
    const { port, end } = await serve({ ...answersOf(), getSchema });
    const client = clientAt(port);
    const asked = callOver(client)("getSchema", new messages.GetSchemaRequest());
    const text = await asked.then(String, (failure: unknown) => (failure instanceof Error ? failure.message : ""));
    client.close();
    await end();
    return text;
  }

  test("where an error's message has half a surrogate pair", async () => {
    expect(await failing(new CallError("no \ud83d"))).toBe("no \ufffd");
    expect(await failing(new TypeError("\udd12 no"))).toBe("\ufffd no");
  });
});

describe("The plugin's process", () => {
  test("prints its port and nothing else, and shakes hands", async () => {
    const engine = await startFakeEngine();
    const { call, process } = await startProcess("plugin", { engine, args: ["-v=3", engine.address] });
    const request = new messages.ProviderHandshakeRequest().setEngineAddress(engine.address);
    const response = await call("handshake", request);
    expect(response.toObject()).toEqual({
      acceptSecrets: true,
      acceptOutputs: false,
      acceptResources: false,
      supportsAutonamingConfiguration: false,
    });
    expect((await call("getPluginInfo", new Empty())).getVersion()).toBe(version);
    expect(process.printed()).toMatch(/^\d+\n$/);
  });

  test("answers with the schema in the format that it has", async () => {
    const { call } = await startProcess("plugin");
    const asked = (format: number) => call("getSchema", new messages.GetSchemaRequest().setVersion(format));
    expect((await asked(0)).getSchema()).toBe(schemaText());
    await expect(asked(1)).rejects.toMatchObject({ code: 12 });
  });

  test("says which calls it has not, and answers Cancel and Attach", async () => {
    const { call, process, engine } = await startProcess("plugin");
    await call("cancel", new Empty());
    await call("attach", new PluginAttach().setAddress(engine.address));
    const client = clientAt(process.port);
    const refusal = await new Promise((resolve) => client.parameterize(new messages.ParameterizeRequest(), resolve));
    expect(refusal).toMatchObject({ code: 12 });
    client.close();
  });

  test.each(["SIGINT", "SIGTERM"] as const)("ends on %s", async (signal) => {
    const { process } = await startProcess("plugin");
    process.kill(signal);
    expect(await process.ended).toEqual([0, null]);
  });

  test("lives on where no engine started it", async () => {
    const { call } = await startProcess("plugin", { args: [] });
    for (let calls = 0; calls < 5; calls += 1) await call("getPluginInfo", new Empty());
  });
});
