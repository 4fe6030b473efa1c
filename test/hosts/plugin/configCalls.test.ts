import * as messages from "@pulumi/pulumi/proto/provider_pb";
import * as structs from "google-protobuf/google/protobuf/struct_pb";
import { unmarshal } from "../../../provider/src/hosts/plugin/wire.js";
import type { JsonObject } from "../../../provider/src/json.js";
import { answer } from "../../support/plugin/pluginCalls.js";
import { startPlugin, stopPlugins, type PluginProcess } from "../../support/plugin/pluginProcess.js";

let client: PluginProcess["client"];
beforeAll(async () => {
  ({ client } = await startPlugin([]));
});
afterAll(stopPlugins);

const struct = (values: JsonObject) => structs.Struct.fromJavaScript(values);
const baseUrl = "https://jobs.example.com";

function checkConfig(news: JsonObject): Promise<messages.CheckResponse> {
  const request = new messages.CheckRequest().setName("eu").setNews(struct(news));
  return answer((done) => client.checkConfig(request, done));
}

test("CheckConfig marks the credentials as secrets, which the engine hands over in clear", async () => {
  const accounts = { eu: { credentialsCommand: "c" } };
  const response = await checkConfig({ baseUrl, token: "t", accounts, timeoutSeconds: 30 });
  expect(response.getFailuresList()).toEqual([]);
  expect(unmarshal(response.getInputs()?.toJavaScript())).toEqual({
    values: { baseUrl, token: "t", accounts, timeoutSeconds: 30 },
    secrets: [["accounts"], ["token"]],
    problems: [],
  });
});

test("CheckConfig names no property in a failure, for the engine would print its value", async () => {
  const failures = (await checkConfig({ baseUrl, token: "Bearer planted" })).toObject().failuresList;
  expect(failures.map(({ property }) => property)).toEqual([""]);
  expect(failures[0]?.reason).toMatch(/^The token from the provider's input "token" begins/);
  expect(JSON.stringify(failures)).not.toContain("planted");
});

test("CheckConfig refuses an explicit provider with a name of the engine's own", async () => {
  const own = { PULUMI_CONFIG: JSON.stringify({ baseUrl }) };
  const request = (inputs: JsonObject) => new messages.CheckRequest().setName("default").setNews(struct(inputs));
  const started = await startPlugin([], own);
  const failures = async (inputs: JsonObject) => {
    const asked = answer<messages.CheckResponse>((done) => started.client.checkConfig(request(inputs), done));
    return (await asked).toObject().failuresList.map(({ reason }) => reason);
  };
  expect(await failures({ baseUrl })).toEqual([]);
  expect(await failures({ baseUrl: "https://other.example.com" })).toEqual([
    expect.stringContaining("this one has other inputs (baseUrl)"),
  ]);
});

test("CheckConfig refuses a file where a setting is wanted", async () => {
  const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "x" };
  const [failure] = (await checkConfig({ baseUrl: asset })).toObject().failuresList;
  expect(failure?.reason).toBe("baseUrl is an asset (a file or a text). Accepted: a plain value.");
});

test.each([
  ["another token and address", { baseUrl: "https://other.example.com", token: "b" }, 2],
  ["the same", { baseUrl, token: "a" }, 1],
])("DiffConfig replaces nothing: %s", async (_case, news, changes) => {
  const olds = struct({ baseUrl, token: "a" });
  const request = new messages.DiffRequest().setName("eu").setOldInputs(olds).setOlds(olds).setNews(struct(news));
  const response = await answer<messages.DiffResponse>((done) => client.diffConfig(request, done));
  expect(response.toObject()).toMatchObject({ changes, replacesList: [], deletebeforereplace: false });
});

test("Configure accepts secrets and previews, and neither outputs nor resources", async () => {
  const request = new messages.ConfigureRequest().setName("eu").setArgs(struct({ baseUrl }));
  const response = await answer<messages.ConfigureResponse>((done) => client.configure(request, done));
  expect(response.toObject()).toMatchObject({
    acceptsecrets: true,
    supportspreview: true,
    acceptresources: false,
    acceptoutputs: false,
  });
});
