import * as pulumi from "@pulumi/pulumi";
import { CachingJob, ScheduledQueryJob } from "../../provider/src/index.js";
import { declaration } from "../support/declaration.js";

beforeAll(() => pulumi.runtime.setMocks({ newResource: ({ name }) => ({ id: name, state: {} }), call: () => ({}) }));

class SalesJob extends CachingJob {}

const job = { intervalUnit: "Day", intervalValue: 1, logVerbosity: 1 } as const;
const orders = () => new CachingJob("orders", declaration);
const sales = () => new SalesJob("sales", { ...declaration, intervalValue: 8 });
const totals = () => new ScheduledQueryJob("totals", { ...job, params: {} });

test.each<[string, () => unknown, boolean, boolean]>([
  ["a CachingJob", orders, true, false],
  ["a job of a class that extends it", sales, true, false],
  ["a ScheduledQueryJob", totals, false, true],
  ["another resource", () => new pulumi.ComponentResource("test:index:Group", "group"), false, false],
  ["an object without a type", () => ({}), false, false],
  ["a string", () => "orders", false, false],
  ["nothing", () => undefined, false, false],
  ["null", () => null, false, false],
])("isInstance tells the class of %s", (_what, make, isCaching, isScheduledQuery) => {
  const value = make();
  expect(CachingJob.isInstance(value)).toBe(isCaching);
  expect(ScheduledQueryJob.isInstance(value)).toBe(isScheduledQuery);
});

/** `@pulumi/policy` reads `__pulumiType`: the type is all by which it recognizes an engine resource. */
test("Each class names the type of its resources", () => {
  expect(CachingJob.__pulumiType).toBe("pulumi-nodejs:dynamic/data-connectivity:CachingJob");
  expect(ScheduledQueryJob.__pulumiType).toBe("pulumi-nodejs:dynamic/data-connectivity:ScheduledQueryJob");
});
