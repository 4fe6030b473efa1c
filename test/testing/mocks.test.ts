import * as pulumi from "@pulumi/pulumi";
import {
  CachingJob,
  getDataSources,
  getDataSourcesOutput,
  ScheduledQueryJob,
  type CachingJobArgs,
} from "pulumi-data-connectivity";
import { setProviderMocks, startEmulator } from "pulumi-data-connectivity/testing";
import { declaration } from "../support/declaration.js";
import { mockedProgram } from "../support/mockedProgram.js";
import { valueOf } from "../support/program.js";

const { sourceConnection } = declaration.params;

const orders: CachingJobArgs = declaration;

describe("A program under setProviderMocks", () => {
  const { service, requests, failure } = mockedProgram();
  const posts = () => requests().filter(({ method }) => method === "POST");

  it("creates a caching job with exactly the body of the interface document", async () => {
    const job = new CachingJob("orders", { ...orders, definedNextRun: "2026-12-01T03:00:00+01:00", enabled: false });
    expect(await valueOf(job.job.id)).toBe(posts()[0]?.job);
    expect(posts().map(({ body }) => body)).toEqual([
      {
        jobType: "Caching",
        intervalUnit: "Hour",
        intervalValue: 4,
        logVerbosity: 2,
        enabled: false,
        definedNextRun: "2026-12-01T03:00:00+01:00",
        params: {
          timeCheckColumn: "",
          autoTruncateStrings: "false",
          sourceConnection,
          sourceName: "Snowflake1",
          sourceSchema: "PUBLIC",
          sourceTable: "ORDERS",
        },
      },
    ]);
  });

  it("gives the service's record back, without what never happened", async () => {
    const { job, origin, id, enabled } = new CachingJob("orders", orders);
    const record = await valueOf(job);
    expect(record).toMatchObject({
      name: "ORDERS",
      intervalValue: 4,
      lastRun: { status: "JOB_QUEUED", rowsAffected: 0 },
    });
    expect(record.lastRun).not.toHaveProperty("dateTime");
    expect(record.lastRun).not.toHaveProperty("duration");
    expect(await valueOf(job.params.sourceConnectionName)).toBeDefined();
    expect(await valueOf(id)).toBe(record.id);
    expect(await valueOf(origin)).toMatchObject({ outcome: "created", baseUrl: service().baseUrl });
    expect(await valueOf(enabled)).toBeUndefined();
  });

  it("passes the params of a scheduled query on as they are", async () => {
    const params = { name: "totals", query: pulumi.secret("SELECT 1"), more: [{ deep: true }] };
    const totals = new ScheduledQueryJob("totals", { intervalUnit: "Day", intervalValue: 1, logVerbosity: 5, params });
    await valueOf(totals.job);
    expect(posts()[0]?.body).toMatchObject({
      jobType: "ScheduledQuery",
      enabled: true,
      params: { name: "totals", query: "SELECT 1", more: [{ deep: true }] },
    });
  });

  it("adopts an existing job and sends nothing", async () => {
    const job = new CachingJob("orders", { ...orders, existingJobId: "job-1" });
    expect(await valueOf(job.job)).toEqual({ id: "job-1" });
    expect(await valueOf(job.job.lastRun.status)).toBeUndefined();
    expect(requests()).toEqual([]);
  });

  it("asks for the list of data sources once, however often it is called", async () => {
    const lists = await Promise.all([getDataSources(), getDataSources({}), valueOf(getDataSourcesOutput())]);
    expect(lists[0]).toEqual(lists[2]);
    expect(typeof lists[0].dataSources[0]?.dataSource).toBe("string");
    expect(requests()).toHaveLength(1);
  });

  const inParams = (members: object) => ({ params: { ...declaration.params, ...members } });

  it.each<[string, object, string]>([
    [
      "a secret that is no interval",
      { intervalValue: pulumi.secret(-424242) },
      "intervalValue (Python: interval_value) is a number. Accepted: a whole number",
    ],
    [
      "an account that nothing knows",
      { account: "eu" },
      'CachingJob "orders": No setting names the account "eu". Set its credentials: pulumi config set',
    ],
    [
      "no UUID in params",
      inParams({ sourceConnection: "424242" }),
      "params.sourceConnection (Python: source_connection) is not an accepted string (value not shown). Accepted: the identifier",
    ],
  ])("refuses %s before anything is sent, and shows nothing that may be secret", async (_what, members, message) => {
    const reason = await failure(() => new CachingJob("orders", { ...orders, ...members }));
    expect(reason).toContain(message);
    expect(reason).not.toContain("424242");
    expect(requests()).toEqual([]);
  });

  it("ends a create that is refused with the service's own reason", async () => {
    service().inject({
      kind: "reply",
      on: "create",
      status: 403,
      body: { error: { code: "DENIED", message: "no right to cache ORDERS" } },
    });
    expect(await failure(() => new CachingJob("orders", orders))).toContain(
      "POST /api/job/create failed with HTTP 403: DENIED: no right to cache <params.sourceTable>. No job was created. The token from DATA_CONNECTIVITY_TOKEN is not allowed to do this.",
    );
    expect(posts().map(({ job }) => job)).toEqual([undefined]);
  });
});

describe("A program that lists the data sources", () => {
  /** Runs `use` with the mocks set for a service. */
  async function withMocks(use: () => Promise<void>): Promise<void> {
    const service = await startEmulator();
    const mocks = await setProviderMocks(service);
    await use();
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
  const url = "Accepted: the address of the service, such as startEmulator's baseUrl.";
  const token = "Accepted: the bearer token, a string that is not empty, such as startEmulator's token.";

  beforeEach(() => {
    process.env["DATA_CONNECTIVITY_TOKEN"] = "of the developer";
  });
  afterEach(() => {
    delete process.env["DATA_CONNECTIVITY_TOKEN"];
  });

  it.each<[unknown, string]>([
    [undefined, "options are missing. Accepted: an object with baseUrl and token."],
    ["http://x", "options are a string. Accepted: an object with baseUrl and token."],
    [{ token: "s3cret" }, `baseUrl is missing. ${url}`],
    [{ baseUrl: null, token: "s3cret" }, `baseUrl is null. ${url}`],
    [{ baseUrl: "", token: "s3cret" }, `baseUrl is an empty string. ${url}`],
    [{ baseUrl: new URL(baseUrl), token: "s3cret" }, `baseUrl is an object. ${url}`],
    [{ baseUrl }, `token is missing. ${token}`],
    [{ baseUrl, token: "" }, `token is an empty string. ${token}`],
    [{ baseUrl, token: ["s3cret"] }, `token is an array. ${token}`],
    [{ baseUrl, token: 5 }, `token is a number. ${token}`],
    [{}, `baseUrl is missing. ${url}\nsetProviderMocks: token is missing. ${token}`],
  ])("%j", async (options, problem) => {
    const before = settings();
    const message = await call(options).then(
      () => "accepted",
      (error: unknown) => (error instanceof TypeError ? error.message : "another error"),
    );
    expect(message).toBe(`setProviderMocks: ${problem}`);
    expect(message).not.toContain("s3cret");
    expect(settings()).toEqual(before);
  });
});
