import { join } from "node:path";
import { CachingJob, ScheduledQueryJob } from "pulumi-data-connectivity";
import { exampleFolder } from "../support/example.js";

interface Properties {
  readonly intervalUnit: string;
  readonly intervalValue: number;
}
type Report = (text: string) => void;
type Validate = (props: Properties, type: string, report: Report) => void;

/** Loads the policies with a mock of `@pulumi/policy`. Like the original, it reads a class's `__pulumiType`. */
function loadPolicies(): readonly { readonly validateResource: Validate }[] {
  let policies: readonly { readonly validateResource: Validate }[] = [];
  jest.doMock(
    "@pulumi/policy",
    () => ({
      PolicyPack: jest.fn((_name: string, args: { policies: typeof policies }) => {
        ({ policies } = args);
      }),
      validateResourceOfType:
        (
          resource: { __pulumiType: string },
          validate: (props: Properties, args: object, report: Report) => void,
        ): Validate =>
        (props, type, report) => {
          if (type === resource.__pulumiType) validate(props, {}, report);
        },
    }),
    { virtual: true },
  );
  jest.requireActual(join(exampleFolder("pipeline"), "policy/index.cjs"));
  return policies;
}

describe("The policy of the pipeline's example", () => {
  const policies = loadPolicies();

  test.each<[string, string, Properties, readonly string[]]>([
    [
      "refuses a caching job of every three hours",
      CachingJob.__pulumiType,
      { intervalUnit: "Hour", intervalValue: 3 },
      ["intervalValue is 3. Accepted: 4 hours or more."],
    ],
    ["accepts one of every four hours", CachingJob.__pulumiType, { intervalUnit: "Hour", intervalValue: 4 }, []],
    ["accepts one of every day", CachingJob.__pulumiType, { intervalUnit: "Day", intervalValue: 1 }, []],
    ["leaves a scheduled query alone", ScheduledQueryJob.__pulumiType, { intervalUnit: "Hour", intervalValue: 1 }, []],
  ])("%s", (_what, type, props, violations) => {
    const said: string[] = [];
    for (const { validateResource } of policies) validateResource(props, type, (text) => said.push(text));
    expect(policies).toHaveLength(1);
    expect(said).toEqual(violations);
  });
});
