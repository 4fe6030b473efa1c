import { Session } from "node:inspector/promises";
import * as pulumi from "@pulumi/pulumi";
import { CachingJob, ScheduledQueryJob } from "../../provider/src/index.js";
import { declaration } from "../support/declaration.js";

// The SDK opens a debugger session in every program. V8 then runs implied constructors, so the stack shows them.
const debuggerSession = new Session();
beforeAll(async () => {
  debuggerSession.connect();
  await debuggerSession.post("Debugger.enable");
  const state = { job: { id: "1" }, origin: {} };
  await pulumi.runtime.setMocks({ newResource: ({ name }) => ({ id: name, state }), call: () => ({}) });
});
afterAll(() => {
  debuggerSession.disconnect();
});

class SalesJob extends CachingJob {}

const job = { intervalUnit: "Day", intervalValue: 1, logVerbosity: 1, params: {} } as const;
const orders = (options?: pulumi.CustomResourceOptions) => new CachingJob("orders", declaration, options);
const sales = () => new SalesJob("sales", { ...declaration, intervalValue: 8 });
const totals = (options?: pulumi.CustomResourceOptions) => new ScheduledQueryJob("totals", job, options);

test.each<[string, () => unknown, boolean, boolean]>([
  ["a CachingJob", () => orders(), true, false],
  ["a job of a class that extends it", sales, true, false],
  ["a ScheduledQueryJob", () => totals(), false, true],
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

/** The SDK saves the stack frame after the resource's class as the position in the user's program. */
test.each<[string, (options: pulumi.CustomResourceOptions) => pulumi.CustomResource]>([
  ["CachingJob", orders],
  ["ScheduledQueryJob", totals],
])("The source position of a %s is the line that declares it", (className, declare) => {
  let frames: string[] = [];
  // A transformation runs at the point where the SDK reads the call stack.
  const look: pulumi.ResourceTransformation = () => {
    frames = (new Error().stack ?? "").split("\n");
    return undefined;
  };
  declare({ transformations: [look] });
  const own = frames.findIndex((frame) => frame.includes("new CustomResource"));
  expect(frames[own + 1]).toContain(`new ${className} `);
  expect(frames[own + 2]).toContain("classes.test.ts");
});
