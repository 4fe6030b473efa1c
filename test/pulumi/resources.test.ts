import * as pulumi from "@pulumi/pulumi";
import { CachingJob, getDataSources, ScheduledQueryJob, type CachingJobArgs } from "pulumi-data-connectivity";
import { setProviderMocks } from "pulumi-data-connectivity/testing";
import { declaration } from "../support/declaration.js";
import { mockedProgram } from "../support/mockedProgram.js";
import { valueOf, warningsOfProgram } from "../support/program.js";

/** A declaration as JavaScript users may write it, bypassing the types. */
const declare = (members: object, name = "orders") =>
  new CachingJob(name, Object.assign<CachingJobArgs, object>({ ...declaration }, members));

const { service, newJobs } = mockedProgram();
const warnings = warningsOfProgram();

describe("A value that the SDK would change without a word", () => {
  const cycle: Record<string, unknown>[] = [{}];
  for (const each of cycle) each["self"] = cycle;

  test.each<[string, object, string]>([
    ["a BigInt", { intervalValue: 4n }, "intervalValue is a BigInt. Accepted: a whole number from 1 to 2147483647."],
    ["NaN", { logVerbosity: NaN }, "logVerbosity is NaN. Accepted: a whole number from 1 to 5."],
    ["a deep one", { additionalParams: { a: [{ b: 5n }] } }, "additionalParams.a is an array. Accepted: a JSON value."],
    ["a date", { additionalParams: { since: new Date() } }, "additionalParams.since is an object of the class Date"],
    ["a map", { additionalParams: { a: new Map([[1, 2]]) } }, "additionalParams.a is an object of the class Map"],
    ["a function", { additionalParams: { a: () => 1 } }, "additionalParams.a is a function"],
    ["a cycle", { additionalParams: { a: cycle } }, "additionalParams.a is an array"],
  ])("is refused by its path, beside all others of the declaration: %s", (_what, members, says) => {
    const refused = () => declare({ ...members, intervalUnit: "hour" });
    expect(refused).toThrow(pulumi.RunError);
    expect(refused).toThrow(`CachingJob "orders": ${says}`);
    expect(refused).toThrow('CachingJob "orders": intervalUnit is "hour".');
    expect(newJobs()).toEqual([]);
  });

  test("is none of these: absent members, objects of a class, outputs and promises", async () => {
    class Params {
      readonly mode = "full";
    }
    const shared = { twice: true };
    const job = declare({
      enabled: undefined,
      additionalParams: {
        shared: [shared, shared, undefined],
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
