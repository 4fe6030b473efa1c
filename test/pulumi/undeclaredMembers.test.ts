import type * as Sdk from "@pulumi/pulumi";
import type * as Provider from "../../provider/src/index.js";
import { declaration } from "../support/declaration.js";

// The SDK has these members but does not declare them, so another version may have them in another form.
jest.doMock("@pulumi/pulumi", () => {
  const sdk = jest.requireActual<typeof Sdk>("@pulumi/pulumi");
  return { ...sdk, runtime: { ...sdk.runtime, isConfigSecret: undefined } };
});
const pulumi = jest.requireMock<typeof Sdk>("@pulumi/pulumi");
const { CachingJob } = jest.requireActual<typeof Provider>("../../provider/src/index.js");

const environment = { ...process.env };
beforeEach(async () => {
  Object.assign(process.env, { DATA_CONNECTIVITY_BASE_URL: "https://jobs.example.com" });
  await pulumi.runtime.setMocks({ newResource: () => ({ id: "id", state: declaration }), call: () => ({}) });
});
afterEach(() => {
  pulumi.runtime.setAllConfig({});
  process.env = { ...environment };
});

test("without runtime.isConfigSecret a token in stack configuration is not taken for plain text", () => {
  pulumi.runtime.setAllConfig({ "data-connectivity:token": "s3cr3t" });
  expect(() => new CachingJob("orders", declaration)).not.toThrow();
});
