import * as pulumi from "@pulumi/pulumi";
import { jobOptions } from "../../provider/src/hosts/dynamic/registration.js";
import { currentRun } from "../../provider/src/hosts/dynamic/run.js";
import { unknownValue } from "../../provider/src/unknown.js";

const mocks: pulumi.runtime.Mocks = { newResource: () => ({ id: "id", state: {} }), call: () => ({}) };
const label = 'CachingJob "orders"';

/** The options with which the class registers a job, under this stack configuration. */
async function optionsWith(
  config: Readonly<Record<string, string>>,
  given: pulumi.CustomResourceOptions = {},
  account?: string,
) {
  await pulumi.runtime.setMocks(mocks);
  const entries = Object.entries(config).map(([key, value]) => [`data-connectivity:${key}`, value] as const);
  pulumi.runtime.setAllConfig(Object.fromEntries(entries));
  return jobOptions(currentRun(), label, account, given);
}
afterEach(() => {
  pulumi.runtime.setAllConfig({});
});

describe("With jobOperations: all", () => {
  const all = { jobOperations: "all" };
  const hideDiffs = ["__resource"];

  test("an option that nobody gave is left to the component above", async () => {
    expect(await optionsWith(all)).toEqual({ deleteBeforeReplace: true, hideDiffs });
  });

  test.each([true, false])("what the user gave is kept: %j", async (given) => {
    const options = { protect: given, retainOnDelete: given };
    expect(await optionsWith({ ...all, protect: "true" }, options)).toEqual({
      ...options,
      deleteBeforeReplace: !given,
      hideDiffs,
    });
  });

  test.each([true, false])("the setting protect gives it where the options do not: %j", async (protect) => {
    expect(await optionsWith({ ...all, protect: String(protect) })).toMatchObject({ protect });
  });

  test("what the user hides is hidden too", async () => {
    expect(await optionsWith(all, { hideDiffs: ["enabled"] })).toMatchObject({ hideDiffs: ["enabled", ...hideDiffs] });
  });
});

test('Of ignoreChanges: ["*"], the input that names the stack is not ignored: no state has it', async () => {
  const { ignoreChanges = [] } = await optionsWith({}, { ignoreChanges: ["*"] });
  expect(ignoreChanges).toEqual(expect.arrayContaining(["params", "intervalValue", "existingJobId", "__resource"]));
  expect(ignoreChanges).not.toContain("*");
  expect(ignoreChanges).not.toContain("__stack");
});

test("With jobOperations: create a job is protected and retained, whatever is above it", async () => {
  expect(await optionsWith({})).toEqual({ protect: true, retainOnDelete: true, deleteBeforeReplace: false });
});

test.each([
  ["all", undefined],
  ["create", true],
])(
  "If the account is not known yet and one has the mode %s, a job that leaves is retained: %s",
  async (mode, retain) => {
    const accounts = JSON.stringify({ eu: { credentialsCommand: "true", jobOperations: mode } });
    const { protect, retainOnDelete } = await optionsWith({ accounts }, {}, unknownValue);
    expect({ protect, retainOnDelete }).toEqual({ protect: true, retainOnDelete: retain });
  },
);
