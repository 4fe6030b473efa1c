import { Session } from "node:inspector/promises";
import * as pulumi from "@pulumi/pulumi";
import { CachingJob, ScheduledQueryJob } from "../../provider/src/index.js";
import { declaration } from "../support/declaration.js";

// The SDK opens a debugger session in every program. V8 then runs implied constructors, so the stack shows them.
const debuggerSession = new Session();
beforeAll(async () => {
  debuggerSession.connect();
  await debuggerSession.post("Debugger.enable");
});
afterAll(() => {
  debuggerSession.disconnect();
});

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name }) => ({ id: `${name}-id`, state: { job: { id: "1" }, origin: {} } }),
    call: () => ({}),
  }),
);

/** The SDK saves the stack frame after the resource's class as the position in the user's program. */
test.each<[string, (options: pulumi.CustomResourceOptions) => pulumi.CustomResource]>([
  ["CachingJob", (options) => new CachingJob("orders", { ...declaration, intervalUnit: "Hour" }, options)],
  [
    "ScheduledQueryJob",
    (options) =>
      new ScheduledQueryJob("totals", { intervalUnit: "Day", intervalValue: 1, logVerbosity: 1, params: {} }, options),
  ],
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
  expect(frames[own + 2]).toContain("sourcePosition.test.ts");
});
