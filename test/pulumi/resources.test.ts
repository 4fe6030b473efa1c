import * as pulumi from "@pulumi/pulumi";
import { CachingJob, getDataSources, ScheduledQueryJob, type CachingJobArgs } from "pulumi-data-connectivity";
import { setProviderMocks, startEmulator, type Emulator, type ProviderMocks } from "pulumi-data-connectivity/testing";
import { declaration } from "../support/declaration.js";
import { valueOf, warningsOfProgram } from "../support/program.js";

/** A declaration as JavaScript users may write it, bypassing the types. */
const declare = (members: object, name = "orders") =>
  new CachingJob(name, Object.assign<CachingJobArgs, object>({ ...declaration }, members));

let service: Emulator;
let mocks: ProviderMocks;
const warnings = warningsOfProgram();
let before = 0;
/** Called with the reason why a resource is refused; fails the test by default. */
let refused: (reason: string) => void;

beforeAll(async () => {
  service = await startEmulator();
  const onFailure = (reason: string) => {
    refused(reason);
  };
  mocks = await setProviderMocks({ baseUrl: service.baseUrl, token: service.token, onFailure });
});
beforeEach(() => {
  refused = (reason) => {
    throw new Error(reason);
  };
  before = service.jobs.length;
});
afterAll(async () => {
  await mocks.stop();
  await service.stop();
});

/** The reason why a declaration is refused. */
const refusalOf = (members: object) =>
  new Promise<string>((resolve) => {
    refused = resolve;
    declare(members);
  });

const newJobs = () => service.jobs.slice(before);

describe("A value that the SDK would change without a word", () => {
  const cycle: Record<string, unknown>[] = [{}];
  for (const each of cycle) each["self"] = cycle;

  test.each<[string, object, string]>([
    ["a BigInt in place of a number", { intervalValue: 4n }, "intervalValue is a BigInt"],
    ["NaN", { logVerbosity: NaN }, "logVerbosity is NaN"],
    ["a BigInt in params", { params: { ...declaration.params, sourceTable: 4n } }, "params.sourceTable is a BigInt"],
    [
      "a BigInt deep in additionalParams",
      { additionalParams: { a: [{ b: 5n }] } },
      "additionalParams.a.0.b is a BigInt",
    ],
    ["a date", { additionalParams: { since: new Date() } }, "additionalParams.since is an object of the class Date"],
    ["a map", { additionalParams: { a: new Map([[1, 2]]) } }, "additionalParams.a is an object of the class Map"],
    ["a symbol", { additionalParams: { a: Symbol("x") } }, "additionalParams.a is a symbol"],
    ["a function", { additionalParams: { a: () => 1 } }, "additionalParams.a is a function"],
    ["infinity", { additionalParams: { a: -Infinity } }, "additionalParams.a is -Infinity"],
    ["a cycle", { additionalParams: { a: cycle } }, "additionalParams.a.0.self is an object that contains itself"],
  ])("is refused by its path, and the program goes on: %s", async (_what, members, says) => {
    const problem = `CachingJob "orders": ${says}, which Pulumi does not hand over as it is. Accepted: a string, a number, a boolean, null, an array or an object.`;
    expect(await refusalOf(members)).toBe(
      `pulumi-nodejs:dynamic/data-connectivity:CachingJob resource 'orders' has a problem: ${problem}`,
    );
    expect(warnings).toEqual([]);
    expect(newJobs()).toEqual([]);
  });

  test("is told beside all others of the declaration", async () => {
    const reason = await refusalOf({ intervalValue: 4n, logVerbosity: 9, additionalParams: { a: NaN } });
    expect(reason.split("\n")).toEqual([
      expect.stringContaining("intervalValue is a BigInt"),
      expect.stringContaining("additionalParams.a is NaN"),
      expect.stringContaining("logVerbosity (Python: log_verbosity) is 9"),
    ]);
  });

  test("is none of these: absent members, objects of a class, outputs and promises", async () => {
    class Params {
      readonly mode = "full";
    }
    const shared = { twice: true };
    const job = declare({
      enabled: undefined,
      additionalParams: {
        shared: [shared, shared],
        own: new Params(),
        later: pulumi.output(1),
        promised: Promise.resolve([null]),
      },
    });
    await valueOf(job.job);
    expect(newJobs()[0]?.params).toMatchObject({ own: { mode: "full" }, later: 1, promised: [null] });
    expect(warnings).toEqual([]);
  });
});

describe("An option that cannot work", () => {
  test.each(["id", "import"])("is refused in our own words: %s", (option) => {
    const options = { [option]: "job-1" };
    expect(() => new CachingJob("orders", declaration, options)).toThrow(
      new pulumi.RunError(
        `CachingJob "orders": the option ${option} does not work for this resource. Adopt the job with the input existingJobId: "<its id>".`,
      ),
    );
    const { intervalUnit, intervalValue, logVerbosity } = declaration;
    expect(
      () => new ScheduledQueryJob("totals", { intervalUnit, intervalValue, logVerbosity, params: {} }, options),
    ).toThrow(/^ScheduledQueryJob "totals": the option .* existingJobId/);
  });
});

describe("A member of a scheduled query that is nearly one of those that the type offers", () => {
  let declared = 0;
  const query = async (params: pulumi.Input<Record<string, pulumi.Input<string>>>): Promise<readonly string[]> => {
    const { intervalUnit, logVerbosity } = declaration;
    // Each call declares a different job: a duplicate would get a warning of its own.
    const intervalValue = (declared += 1);
    const job = new ScheduledQueryJob("totals", { intervalUnit, intervalValue, logVerbosity, params });
    await valueOf(job.job);
    return warnings;
  };
  const warning = (given: string, likely: string) =>
    `ScheduledQueryJob "totals": params.${given} is sent as it is, but it looks like a misspelling of params.${likely}. Check it now: once the job is created, Pulumi cannot change or delete it.`;

  test.each([
    ["qury", "query"],
    ["qurey", "query"],
    ["Query", "query"],
    ["destinationshema", "destinationSchema"],
    ["destinationConectionName", "destinationConnectionName"],
    ["nmae", "name"],
  ])("gets a warning that names it: %s, %s", async (given, likely) => {
    expect(await query({ [given]: "S3CRET" })).toEqual([warning(given, likely)]);
    // The warning is not an error, because the interface document does not show the members.
    expect(newJobs()).toHaveLength(1);
  });

  test("gets it for a value that is an output too, which is not shown", async () => {
    expect(await query({ qury: pulumi.secret("S3CRET") })).toEqual([warning("qury", "query")]);
  });

  test.each([
    [["name", "query", "destinationWriteScheme", "destinationConnectionName", "destinationSchema", "destinationTable"]],
    [["query", "qury"]],
    [["owner", "timezone", "q", "schema"]],
  ])("gets none where nothing looks like a mistake: %j", async (members) => {
    expect(await query(Object.fromEntries(members.map((member) => [member, "x"])))).toEqual([]);
  });
});

describe("jobId", () => {
  test("is the service's id of a job that was created or adopted, and fits an input that needs a string", async () => {
    const created = declare({});
    const adopted = declare({ existingJobId: "job-77" }, "adopted");
    const names: pulumi.Output<string>[] = [created.jobId, adopted.jobId];
    expect(await Promise.all(names.map(valueOf))).toEqual([newJobs()[0]?.id, "job-77"]);
  });

  test("is made when it is asked for: it is no property of the resource", async () => {
    const job = declare({});
    expect(Object.keys(job)).not.toContain("jobId");
    expect(await valueOf(job.job)).not.toHaveProperty("jobId");
  });
});

describe("A key of the namespace that is no setting", () => {
  // A run checks the keys only once, so each test needs its own run.
  let own: ProviderMocks;
  beforeEach(async () => {
    own = await setProviderMocks(service);
  });
  afterEach(async () => {
    pulumi.runtime.setAllConfig({});
    await own.stop();
  });

  test.each([
    ["proteckt", "Did you mean data-connectivity:protect?"],
    ["baseurl", "Did you mean data-connectivity:baseUrl?"],
    ["credentialCommand", "Did you mean data-connectivity:credentialsCommand?"],
    ["colour", "Accepted: baseUrl, token, credentialsCommand, account, accounts, requestEncoding,"],
  ])("is refused by the program, and its value is not shown: %s", async (key, says) => {
    pulumi.runtime.setAllConfig({ [`data-connectivity:${key}`]: "S3CRET", "other:proteckt": "x" });
    const refused = async (use: () => unknown): Promise<unknown> => {
      try {
        return await use();
      } catch (error) {
        return error;
      }
    };
    for (const error of [await refused(() => declare({})), await refused(() => getDataSources())]) {
      expect(error).toBeInstanceOf(pulumi.RunError);
      expect(String(error)).toContain(`data-connectivity:${key} is not a setting. ${says}`);
      expect(String(error)).toContain(`Remove the wrong name: pulumi config rm data-connectivity:${key}`);
      expect(String(error)).not.toContain("S3CRET");
    }
    expect(newJobs()).toEqual([]);
  });
});
