import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { unmarshal } from "../../../provider/src/hosts/protocolValues.js";
import type { JsonObject } from "../../../provider/src/json.js";
import { stopAll } from "../../support/emulated.js";
import { saying } from "../../support/matchers.js";
import { jsonOf, struct, type Call } from "../../support/driver/calls.js";
import { startProcess } from "../../support/driver/process.js";

let call: Call;
beforeAll(async () => {
  ({ call } = await startProcess("plugin", { args: [] }));
});
afterAll(stopAll);

const baseUrl = "https://jobs.example.com";

/** What CheckConfig answers for a provider with this name. */
async function checkConfig(news: JsonObject, name = "eu", by = call) {
  const response = await by("checkConfig", new messages.CheckRequest().setName(name).setNews(struct(news)));
  return { inputs: unmarshal(jsonOf(response.getInputs())), failures: response.toObject().failuresList };
}

test("CheckConfig marks the credentials as secrets, which the engine hands over in clear", async () => {
  const accounts = { eu: { credentialsCommand: "c" } };
  const values = { baseUrl, token: "t", accounts, timeoutSeconds: 30 };
  expect(await checkConfig(values)).toEqual({
    inputs: { values, secrets: [["accounts"], ["token"]], problems: [] },
    failures: [],
  });
});

test("CheckConfig names no property in a failure, for the engine would print its value", async () => {
  const { failures } = await checkConfig({ baseUrl, token: "Bearer planted" });
  expect(failures.map(({ property }) => property)).toEqual([""]);
  expect(failures[0]?.reason).toMatch(/^The token from the provider's input "token" begins/);
  expect(JSON.stringify(failures)).not.toContain("planted");
});

test("CheckConfig refuses an explicit provider with a name of the engine's own", async () => {
  const env = { PULUMI_CONFIG: JSON.stringify({ baseUrl }) };
  const { call: own } = await startProcess("plugin", { args: [], env });
  expect((await checkConfig({ baseUrl }, "default", own)).failures).toEqual([]);
  expect((await checkConfig({ baseUrl: "https://other.example.com" }, "default", own)).failures).toEqual([
    { property: "", reason: saying("has inputs that differ from it (baseUrl)") },
  ]);
});

test("CheckConfig refuses a file where a setting is wanted", async () => {
  const asset = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", text: "x" };
  const [failure] = (await checkConfig({ baseUrl: asset })).failures;
  expect(failure?.reason).toBe("baseUrl is an asset (a file or a text). Accepted: a plain value.");
});

test.each([
  ["another token and address", { baseUrl: "https://other.example.com", token: "b" }, 2],
  ["the same", { baseUrl, token: "a" }, 1],
])("DiffConfig replaces nothing: %s", async (_case, news, changes) => {
  const olds = struct({ baseUrl, token: "a" });
  const request = new messages.DiffRequest().setName("eu").setOldInputs(olds).setOlds(olds).setNews(struct(news));
  expect((await call("diffConfig", request)).toObject()).toMatchObject({
    changes,
    replacesList: [],
    deletebeforereplace: false,
  });
});

test("Configure accepts secrets and previews, and neither outputs nor resources", async () => {
  const request = new messages.ConfigureRequest().setName("eu").setArgs(struct({ baseUrl }));
  expect((await call("configure", request)).toObject()).toMatchObject({
    acceptsecrets: true,
    supportspreview: true,
    acceptresources: false,
    acceptoutputs: false,
  });
});
