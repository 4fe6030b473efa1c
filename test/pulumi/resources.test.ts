import * as pulumi from "@pulumi/pulumi";
import { CachingJob, getDataSources, ScheduledQueryJob, type CachingJobArgs } from "pulumi-data-connectivity";
import { setProviderMocks } from "pulumi-data-connectivity/testing";
import { declaration } from "../support/declaration.js";
import { mockedProgram } from "../support/mockedProgram.js";
import { valueOf, warningsOfProgram } from "../support/program.js";

/** A declaration as JavaScript users may write it, bypassing the types. */
const declare = (members: object, name = "orders") =>
  new CachingJob(name, Object.assign<CachingJobArgs, object>({ ...declaration }, members));

const { service, newJobs, failure } = mockedProgram();
const warnings = warningsOfProgram();

/** The reason why a declaration is refused. */
const refusalOf = (members: object) => failure(() => declare(members));

describe("A value that the SDK would change without a word", () => {
  const cycle: Record<string, unknown>[] = [{}];
  for (const each of cycle) each["self"] = cycle;

  const anything = "a string, a number, a boolean, null, an array or an object";
  const json = "a JSON value";
  test.each<[string, object, string, string?]>([
    [
      "a BigInt in place of a number",
      { intervalValue: 4n },
      "intervalValue is a BigInt",
      "a whole number from 1 to 2147483647",
    ],
    ["NaN", { logVerbosity: NaN }, "logVerbosity is NaN", "a whole number from 1 to 5"],
    [
      "a BigInt in params",
      { params: { ...declaration.params, sourceTable: 4n } },
      "params.sourceTable is a BigInt",
      "the table to cache, not empty",
    ],
    [
      "a BigInt deep in additionalParams",
      { additionalParams: { a: [{ b: 5n }] } },
      "additionalParams.a[0].b is a BigInt",
    ],
    ["a date", { additionalParams: { since: new Date() } }, "additionalParams.since is an object of the class Date"],
    ["a map", { additionalParams: { a: new Map([[1, 2]]) } }, "additionalParams.a is an object of the class Map"],
    ["a symbol", { additionalParams: { a: Symbol("x") } }, "additionalParams.a is a symbol", json],
    ["a function", { additionalParams: { a: () => 1 } }, "additionalParams.a is a function", json],
    ["infinity", { additionalParams: { a: -Infinity } }, "additionalParams.a is -Infinity", json],
    ["a cycle", { additionalParams: { a: cycle } }, "additionalParams.a[0].self is an object that contains itself"],
  ])("is refused by its path, and the program goes on: %s", async (_what, members, says, accepted = anything) => {
    const problem = `CachingJob "orders": ${says}, which Pulumi does not hand over as it is. Accepted: ${accepted}.`;
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
      expect.stringContaining("logVerbosity is 9"),
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

test.each(["id", "import"])("An option that cannot work is refused in our own words: %s", (option) => {
  const options = { [option]: "job-1" };
  expect(() => new CachingJob("orders", declaration, options)).toThrow(
    new pulumi.RunError(
      `CachingJob "orders": the option ${option} does not work for this resource. Adopt the job with the input existingJobId: "<its id>".`,
    ),
  );
  expect(() => new ScheduledQueryJob("totals", { ...declaration, params: {} }, options)).toThrow(
    /^ScheduledQueryJob "totals": the option .* existingJobId/,
  );
});

test("A member of a scheduled query that is nearly one that the type offers gets a warning, which shows no value", async () => {
  const params = { qury: pulumi.secret("S3CRET") };
  await valueOf(new ScheduledQueryJob("totals", { ...declaration, params }).job);
  expect(warnings).toEqual([
    'ScheduledQueryJob "totals": params.qury is sent as it is, but it looks like a misspelling of params.query. Check it now: once the job is created, Pulumi cannot change or delete it.',
  ]);
  // The warning is not an error, because the interface document does not show the members.
  expect(newJobs()).toHaveLength(1);
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

test("A key of the namespace that is no setting is refused by the program, and its value is not shown", async () => {
  // A run checks the keys only once, so this test needs its own run.
  const own = await setProviderMocks(service());
  pulumi.runtime.setAllConfig({ "data-connectivity:proteckt": "S3CRET", "other:proteckt": "x" });
  for (const use of [async () => declare({}), () => getDataSources()]) {
    const error: unknown = await use().catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(pulumi.RunError);
    expect(String(error)).toContain(
      "data-connectivity:proteckt is not a setting. Did you mean data-connectivity:protect? Remove the wrong name: pulumi config rm data-connectivity:proteckt",
    );
    expect(String(error)).not.toContain("S3CRET");
  }
  expect(newJobs()).toEqual([]);
  pulumi.runtime.setAllConfig({});
  await own.stop();
});
