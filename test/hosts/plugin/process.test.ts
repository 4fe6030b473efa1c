import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { CallError, served, unserved } from "../../../provider/src/hosts/plugin/calls.js";
import { schemaText } from "../../../provider/src/hosts/plugin/processCalls.js";
import { serve } from "../../../provider/src/hosts/plugin/server.js";
import { version } from "../../../provider/src/version.js";
import { answer } from "../../support/plugin/pluginCalls.js";
import { answersOf } from "../../support/plugin/pluginHere.js";
import { pluginMain, startPlugin, stopPlugins } from "../../support/plugin/pluginProcess.js";
import { startFakeEngine, type FakeEngine } from "../../support/plugin/fakeEngine.js";

let engine: FakeEngine;
beforeEach(async () => {
  engine = await startFakeEngine();
});
afterEach(async () => {
  await stopPlugins();
  engine.kill();
});

test("Each call of the protocol is either answered or known as one that need not be", () => {
  expect([...served, ...unserved].sort()).toEqual(Object.keys(ResourceProviderService).sort());
});

describe("A call is answered", () => {
  /** The message that the engine gets if a call throws `error`. */
  async function failing(error: Error): Promise<string> {
    const schema = () => {
      throw error;
    };
    const { port, end } = await serve(answersOf({ schema }));
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
    const asked = answer((done) => client.getSchema(new messages.GetSchemaRequest(), done));
    const text = await asked.then(String, (failure: unknown) => (failure instanceof Error ? failure.message : ""));
    client.close();
    await end();
    return text;
  }

  test("where an error's message has half a surrogate pair", async () => {
    expect(await failing(new CallError("no \ud83d"))).toBe("no \ufffd");
    expect(await failing(new TypeError("\udd12 no"))).toBe("\ufffd no");
  });

  test("where what goes with an error cannot be written", async () => {
    const error = new CallError("no");
    jest.spyOn(error.metadata, "clone").mockImplementation(() => {
      throw new Error("unwritable");
    });
    expect(await failing(error)).toBe("no");
  });
});

describe("The plugin's process", () => {
  test("prints its port and nothing else, and shakes hands", async () => {
    const { client, printed } = await startPlugin(["-v=3", engine.address]);
    const request = new messages.ProviderHandshakeRequest().setEngineAddress(engine.address);
    const response = await answer<messages.ProviderHandshakeResponse>((done) => client.handshake(request, done));
    expect(response.toObject()).toEqual({
      acceptSecrets: true,
      acceptOutputs: false,
      acceptResources: false,
      supportsAutonamingConfiguration: false,
    });
    expect(
      (await answer<{ getVersion(): string }>((done) => client.getPluginInfo(new Empty(), done))).getVersion(),
    ).toBe(version);
    expect(printed()).toMatch(/^\d+\n$/);
  });

  test("answers with the schema in the format that it has", async () => {
    const { client } = await startPlugin([engine.address]);
    const asked = (format: number) =>
      answer<messages.GetSchemaResponse>((done) =>
        client.getSchema(new messages.GetSchemaRequest().setVersion(format), done),
      );
    expect((await asked(0)).getSchema()).toBe(schemaText());
    await expect(asked(1)).rejects.toMatchObject({ code: 12 });
  });

  test("says which calls it has not, and answers Cancel and Attach", async () => {
    const { client } = await startPlugin([engine.address]);
    await answer((done) => client.cancel(new Empty(), done));
    await answer((done) => client.attach(new PluginAttach().setAddress(engine.address), done));
    const parameterized = answer((done) => client.parameterize(new messages.ParameterizeRequest(), done));
    await expect(parameterized).rejects.toMatchObject({ code: 12 });
  });

  test.each(["SIGINT", "SIGTERM"] as const)("ends on %s", async (signal) => {
    const { kill, ended } = await startPlugin([engine.address]);
    kill(signal);
    expect(await ended).toEqual([0, null]);
  });

  test("ends when its engine does, however it ends: the engine holds its standard input", async () => {
    const { client, ended, closeInput } = await startPlugin([engine.address]);
    await answer((done) => client.getPluginInfo(new Empty(), done));
    closeInput();
    expect(await ended).toEqual([0, null]);
  });

  test.each([
    { where: "no engine started it", args: () => [] },
    { where: "its standard input is not a pipe", args: () => [engine.address], stdin: "ignore" as const },
  ])("lives on without an input where $where", async ({ args, stdin }) => {
    const { client, closeInput } = await startPlugin(args(), {}, pluginMain, stdin);
    closeInput();
    for (let call = 0; call < 5; call++) await answer((done) => client.getPluginInfo(new Empty(), done));
  });
});
