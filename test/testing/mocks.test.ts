import * as pulumi from "@pulumi/pulumi";
import {
  CachingJob,
  getDataSources,
  getDataSourcesOutput,
  ScheduledQueryJob,
  type CachingJobArgs,
} from "pulumi-data-connectivity";
import {
  setProviderMocks,
  startEmulator,
  type Emulator,
  type EmulatorOptions,
  type ProviderMocks,
} from "pulumi-data-connectivity/testing";
import { declaration } from "../support/declaration.js";
import { valueOf } from "../support/program.js";

const { sourceConnection } = declaration.params;

const orders: CachingJobArgs = declaration;

describe("A program under setProviderMocks", () => {
  let service: Emulator;
  let mocks: ProviderMocks;
  let onFailure: (reason: string) => void = () => undefined;

  let before = 0;

  beforeAll(async () => {
    service = await startEmulator();
    mocks = await setProviderMocks({
      ...service,
      onFailure: (reason) => {
        onFailure(reason);
      },
    });
  });

  /** The reason why a declaration fails. */
  const failure = (declare: () => pulumi.CustomResource): Promise<string> =>
    new Promise((resolve) => {
      onFailure = resolve;
      declare();
    });

  beforeEach(() => {
    before = service.requests.length;
  });

  afterAll(async () => {
    await mocks.stop();
    await service.stop();
  });

  const requests = () => service.requests.slice(before);
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
    expect(await valueOf(origin)).toMatchObject({ outcome: "created", baseUrl: service.baseUrl });
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

  it.each<[string, object, string]>([
    [
      "intervalValue 0",
      { intervalValue: 0 },
      "intervalValue (Python: interval_value) is 0. Accepted: a whole number from 1 to 2147483647.",
    ],
    [
      "an account that nothing knows",
      { account: "eu" },
      'CachingJob "orders": No setting names the account "eu". Set its credentials: pulumi config set',
    ],
  ])("refuses %s before anything is sent", async (_what, members, message) => {
    expect(await failure(() => new CachingJob("orders", { ...orders, ...members }))).toContain(message);
    expect(requests()).toEqual([]);
  });

  it("refuses a secret that is no interval, and never shows it", async () => {
    const reason = await failure(() => new CachingJob("orders", { ...orders, intervalValue: pulumi.secret(-424242) }));
    expect(reason).toContain("intervalValue (Python: interval_value) is a number. Accepted: a whole number");
    expect(reason).not.toContain("424242");
  });

  it.each<[string, object, string]>([
    [
      "no UUID",
      { sourceConnection: "secret-1" },
      "params.sourceConnection (Python: source_connection) is not an accepted string (value not shown). Accepted: the identifier",
    ],
    [
      "a typo",
      { sourcetable: "secret-1" },
      "params.sourcetable is not a member of params. Accepted: sourceConnection, sourceName,",
    ],
  ])("refuses %s in params and never shows the value", async (_what, members, message) => {
    const declared = {
      ...orders,
      params: { sourceConnection, sourceName: "S", sourceSchema: "P", sourceTable: "T", ...members },
    };
    const reason = await failure(() => new CachingJob("orders", declared));
    expect(reason).toContain(message);
    expect(reason).not.toContain("secret-1");
    expect(requests()).toEqual([]);
  });

  it("ends a create that is refused with the service's own reason", async () => {
    service.inject({
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
  /** Runs `use` with the mocks set for a service with these options. */
  async function withMocks(use: () => Promise<void>, options?: EmulatorOptions): Promise<void> {
    const service = await startEmulator(options);
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

  it("fails with one clear message when the list cannot be read", async () => {
    const body = "<html><title>Sign in</title></html>";
    const page = { kind: "reply", on: "sources", status: 200, body, contentType: "text/html" } as const;
    const listed = async () => {
      await expect(getDataSources()).rejects.toThrow(
        /^getDataSources: GET \/api\/poweredby\/sources\/list answered HTTP 200 with a web page titled "Sign in"\. The reply has no "dataSources" array\. Check data-connectivity:baseUrl: it must be the address of the service/,
      );
    };
    await withMocks(listed, { faults: [page] });
  });
});
