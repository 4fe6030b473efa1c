import * as pulumi from "@pulumi/pulumi";
import { CachingJob, getDataSources } from "pulumi-data-connectivity";
import { setProviderMocks, startEmulator, type Emulator } from "pulumi-data-connectivity/testing";
import { declaration } from "../support/declaration.js";
import { mockedProgram } from "../support/mockedProgram.js";

describe("A program under setProviderMocks", () => {
  const { requests, failure } = mockedProgram();
  const inParams = (members: object) => ({ params: { ...declaration.params, ...members } });

  it.each<[string, object, string]>([
    [
      "a secret that is no interval",
      { intervalValue: pulumi.secret(-424242) },
      "intervalValue is a number. Accepted: a whole number",
    ],
    [
      "an account that nothing knows",
      { account: "eu" },
      'CachingJob "orders": No setting names the account "eu". Set its credentials: pulumi config set',
    ],
    [
      "no UUID in params",
      inParams({ sourceConnection: "424242" }),
      "params.sourceConnection is not an accepted string (value not shown). Accepted: the id of the source connection",
    ],
  ])("refuses %s before anything is sent, and shows nothing that may be secret", async (_what, members, message) => {
    const reason = await failure(() => new CachingJob("orders", { ...declaration, ...members }));
    expect(reason).toContain(message);
    expect(reason).not.toContain("424242");
    expect(requests()).toEqual([]);
  });
});

const accounts = "data-connectivity:accounts";

describe("A program that lists the data sources", () => {
  /** Runs `use` with the mocks set for a service. */
  async function withMocks(use: (service: Emulator) => Promise<void>): Promise<void> {
    const service = await startEmulator();
    const mocks = await setProviderMocks(service);
    await use(service);
    await mocks.stop();
    await service.stop();
  }

  it("never reaches a real account through the developer's own environment", async () => {
    process.env["DATA_CONNECTIVITY_TOKEN"] = "real-token";
    process.env["DATA_CONNECTIVITY_ACCOUNT_X"] = "x";
    await withMocks(async () => {
      expect((await getDataSources()).dataSources.length).toBeGreaterThan(0);
    });
    expect(process.env["DATA_CONNECTIVITY_TOKEN"]).toBe("real-token");
  });

  it.each([{}, { credentialsCommand: "echo real-token" }])(
    "sends nothing to the address that the stack's configuration gives an account (%j)",
    async (credentials) => {
      const real = await startEmulator();
      await withMocks(async (service) => {
        const eu = { baseUrl: real.baseUrl, token: real.token, ...credentials };
        pulumi.runtime.setAllConfig({ [accounts]: JSON.stringify({ eu }) }, [accounts]);
        const { jobId } = new CachingJob("orders", { ...declaration, account: "eu" });
        const known = await new Promise((resolve) => jobId.apply(resolve));
        expect(service.jobs.map(({ id }) => id)).toEqual([known]);
        expect((await getDataSources({ account: "eu" })).dataSources.length).toBeGreaterThan(0);
        expect(real.requests).toEqual([]);
        pulumi.runtime.setAllConfig({});
      });
      await real.stop();
    },
  );

  it("is refused a token in plain stack configuration", async () => {
    await withMocks(async () => {
      pulumi.runtime.setAllConfig({ "data-connectivity:token": "hunter2" });
      await expect(getDataSources()).rejects.toThrow(
        /^data-connectivity:token is in plain text\. Set it again as a secret: pulumi config set --secret data-connectivity:token$/,
      );
      pulumi.runtime.setAllConfig({});
    });
  });
});

describe("Options that cannot work are refused, and the environment stays as it was", () => {
  /** Calls `setProviderMocks` as a program in plain JavaScript does. */
  const call: (...args: unknown[]) => Promise<unknown> = Function.prototype.call.bind(setProviderMocks, undefined);
  const settings = () => Object.entries(process.env).filter(([name]) => name.startsWith("DATA_CONNECTIVITY_"));
  const baseUrl = "http://127.0.0.1:1";

  beforeEach(() => {
    process.env["DATA_CONNECTIVITY_TOKEN"] = "of the developer";
  });
  afterEach(() => {
    delete process.env["DATA_CONNECTIVITY_TOKEN"];
  });

  it.each([
    [undefined],
    ["http://x"],
    [{ token: "s3cret" }],
    [{ baseUrl: "", token: "s3cret" }],
    [{ baseUrl }],
    [{ baseUrl, token: "" }],
    [{ baseUrl, token: ["s3cret"] }],
  ])("%j", async (options) => {
    const before = settings();
    await expect(call(options)).rejects.toThrow(
      new TypeError(
        "setProviderMocks: baseUrl and token must be strings that are not empty. Pass what startEmulator returns.",
      ),
    );
    expect(settings()).toEqual(before);
  });
});
