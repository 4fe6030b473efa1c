import * as pulumi from "@pulumi/pulumi";
import { isPlain, type Members } from "../../provider/src/hosts/dynamic/identity.js";
import { membersOf } from "../../provider/src/json.js";
import { CachingJob, ScheduledQueryJob } from "../../provider/src/index.js";
import { declaration } from "../support/declaration.js";

// The provider process sees no marks: the class tells it whether an output is a secret.

const sent: Record<string, Members> = {};

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: (resource) => {
      const inputs = membersOf(resource.inputs);
      sent[resource.name] = inputs;
      return { id: resource.name, state: { ...inputs, job: {}, origin: {} } };
    },
    call: () => ({}),
  }),
);

/** The inputs of a job as the provider process gets them. */
async function inputsOf(job: pulumi.CustomResource): Promise<Members> {
  const name = await new Promise<string>((resolve) => job.id.apply(resolve));
  return sent[name] ?? {};
}

let count = 0;
const caching = (more: object, options: pulumi.CustomResourceOptions = {}) =>
  new CachingJob(`job-${(count += 1)}`, { ...declaration, ...more }, options);
const output = pulumi.output("ORDERS");
const { params } = declaration;

test.each([
  ["an output", () => caching({ params: { ...params, sourceTable: output } })],
  ["an output of all params", () => caching({ params: pulumi.output({ ...params, mergeKeys: undefined }) })],
  [
    "outputs at any depth",
    () => caching({ params, additionalParams: { deep: [{ one: output, none: undefined }, null] } }),
  ],
  ["a promise", () => new ScheduledQueryJob("q", { ...declaration, params: { query: Promise.resolve("select 1") } })],
])("A value of %s may be shown if it is no secret", async (_of, make) => {
  expect(isPlain(await inputsOf(make()), "params")).toBe(true);
});

test.each([
  ["a secret", () => caching({ params: { ...params, sourceTable: pulumi.secret("ORDERS") } })],
  [
    "a secret beside an output",
    () => caching({ params: { ...params, sourceTable: output }, additionalParams: { pin: pulumi.secret(1) } }),
  ],
  [
    "what a transform has put in place of an output",
    () =>
      caching(
        { params: { ...params, sourceTable: output } },
        {
          transformations: [
            ({ props, opts }) => ({ props: { ...props, params: { ...params, sourceTable: "X" } }, opts }),
          ],
        },
      ),
  ],
])("%s may not be shown", async (_of, make) => {
  expect(isPlain(await inputsOf(make()), "params")).toBe(false);
});
