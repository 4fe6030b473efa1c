import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import { CachingJob } from "pulumi-data-connectivity";
import { secretSignature, signature } from "../../provider/src/hosts/engineNames.js";
import { unknownValue } from "../../provider/src/unknown.js";
import { declaration } from "../support/declaration.js";
import { jwt } from "../support/jwt.js";
import { valueOf, warningsOfProgram } from "../support/program.js";

const environment = { ...process.env };
const warnings = warningsOfProgram();

type NewResource = pulumi.runtime.Mocks["newResource"];

interface Run {
  readonly preview: boolean;
  readonly newResource?: NewResource;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs with an engine that accepts every resource, because only the class is tested here. */
async function run({ preview, variables = {}, newResource = registered }: Run): Promise<void> {
  const ours = Object.keys(process.env).filter((name) => name.startsWith("DATA_CONNECTIVITY_"));
  for (const name of ours) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, { DATA_CONNECTIVITY_BASE_URL: "https://jobs.example.com", ...variables });
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "project", "stack", preview);
}

const members = z.record(z.string(), z.unknown());
const registered: NewResource = ({ name, inputs }) => ({ id: `${name}-id`, state: members.parse(inputs) });

afterEach(() => {
  pulumi.runtime.setAllConfig({});
  process.env = { ...environment };
});

test("A second resource that declares the same job is told where it has another name or another parent", async () => {
  await run({ preview: true });
  const group = (name: string) => new pulumi.ComponentResource("test:index:Group", name);
  const [a, b] = [group("a"), group("b")];
  for (const parent of [a, a, b]) await valueOf(new CachingJob("orders", declaration, { parent }).urn);
  await valueOf(new CachingJob("items", declaration, { parent: b }).urn);
  const same = (label: string, other: string) =>
    `${label}: it declares a job for the same source as ${other}, and the service creates two of them. Remove one, or change it.`;
  expect(warnings).toEqual([
    same('CachingJob "orders"', 'the CachingJob "orders" under another parent'),
    same('CachingJob "items"', 'CachingJob "orders"'),
  ]);
});

test("The mistakes of several declarations are warnings too: the first failed check shows only its own", async () => {
  const late = pulumi.output({ ...declaration.params, sourceTable: "" });
  const bad = (name: string, more: object = {}) => new CachingJob(name, { ...declaration, intervalValue: 0, ...more });
  const zero = (name: string) =>
    `CachingJob "${name}": intervalValue is 0. Accepted: a whole number from 1 to 2147483647.`;
  await run({ preview: true });
  const jobs = [bad("first"), new CachingJob("valid", declaration)];
  expect(warnings).toEqual([]);
  jobs.push(bad("second", { logVerbosity: 9, params: late }), bad("third"));
  await Promise.all(jobs.map(({ urn }) => valueOf(urn)));
  const verbosity = 'CachingJob "second": logVerbosity is 9. Accepted: a whole number from 1 to 5.';
  expect(warnings).toEqual([zero("first"), zero("second"), verbosity, zero("third")]);
});

describe("A token that has expired", () => {
  const hoursAgo = jwt({ exp: Math.floor(Date.now() / 1000) - 3600 });
  const table = (sourceTable: string) => ({ ...declaration, params: { ...declaration.params, sourceTable } });

  test("is said at preview, once for each account that a job names, with the way to set another one", async () => {
    await run({
      preview: true,
      variables: { DATA_CONNECTIVITY_TOKEN: hoursAgo, DATA_CONNECTIVITY_TOKEN_EU: hoursAgo },
    });
    for (const name of ["ORDERS", "ITEMS"]) await valueOf(new CachingJob(name, table(name)).urn);
    await valueOf(new CachingJob("sales", { ...table("SALES"), account: "eu" }).urn);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The token from DATA_CONNECTIVITY_TOKEN expired at \S+Z; the time here is \S+Z\. pulumi up will send nothing with it\. Set a working token: export DATA_CONNECTIVITY_TOKEN=<token>$/,
      ),
      expect.stringMatching(/^The token from DATA_CONNECTIVITY_TOKEN_EU expired at/),
    ]);
    expect(warnings.join()).not.toContain(hoursAgo);
  });

  test.each<[string, Run]>([
    ["a preview without any token", { preview: true }],
    [
      "a preview with a token that is valid",
      { preview: true, variables: { DATA_CONNECTIVITY_TOKEN: jwt({ exp: 9e9 }) } },
    ],
    ["a preview with an opaque token", { preview: true, variables: { DATA_CONNECTIVITY_TOKEN: "opaque" } }],
    ["a preview with a command", { preview: true, variables: { DATA_CONNECTIVITY_CREDENTIALS_COMMAND: "exit 1" } }],
    ["up, where the create says it", { preview: false, variables: { DATA_CONNECTIVITY_TOKEN: hoursAgo } }],
  ])("is not said in %s", async (_when, given) => {
    await run(given);
    await valueOf(new CachingJob("orders", table("ORDERS")).urn);
    expect(warnings).toEqual([]);
  });
});

/** A policy cannot read an input that is not known, so there must be none in a declaration without a late value. */
test.each<[string, pulumi.Input<string>, unknown]>([
  ["values", "ORDERS", undefined],
  ["an output", pulumi.output("ORDERS"), undefined],
  ["a secret", pulumi.secret("ORDERS"), { [signature]: secretSignature, value: null }],
])("In a preview, policies can read every input of a job of %s, and the program knows no record", async (...given) => {
  const [, sourceTable, job] = given;
  let seen: Record<string, unknown> = {};
  const newResource: NewResource = (args) => {
    seen = members.parse(args.inputs);
    return registered(args);
  };
  await run({ preview: true, newResource });
  const orders = new CachingJob("orders", { ...declaration, params: { ...declaration.params, sourceTable } });
  await valueOf(orders.urn);
  expect([seen["intervalValue"], seen["job"], seen["origin"]]).toEqual([declaration.intervalValue, job, undefined]);
  expect(JSON.stringify(seen)).not.toContain(unknownValue);
  for (const output of [orders.job, orders.origin]) expect(await Reflect.get(output, "isKnown")).toBe(false);
  expect(await pulumi.isSecret(orders.job)).toBe(job !== undefined);
});

// The preview of a change does not know the job's record.
test.each([
  ["the resource's own id", {}, "orders-id"],
  ["the id that was adopted", { existingJobId: "job-7" }, "job-7"],
])("With all operations, jobId in the preview of a change is %s, and no secret", async (_what, more, expected) => {
  await run({ preview: true });
  pulumi.runtime.setAllConfig({ "data-connectivity:jobOperations": "all" });
  const params = { ...declaration.params, sourceTable: pulumi.secret("HUSH") };
  const { jobId } = new CachingJob("orders", { ...declaration, params, ...more });
  expect([await valueOf(jobId), await pulumi.isSecret(jobId)]).toEqual([expected, false]);
});

/**
 * The SDK makes several promises for one output, and all of them fail. A separate process shows what a user sees.
 */
const programOfUnconfirmed = `
  const pulumi = require("@pulumi/pulumi");
  const { CachingJob } = require("pulumi-data-connectivity");
  process.once("unhandledRejection", (error) => {
    console.log(pulumi.RunError.isInstance(error), error.message);
    process.exit(7);
  });
  // The create is from an earlier run, because an unconfirmed create of this run would already end the program.
  const origin = { outcome: "unconfirmed", baseUrl: "https://jobs.example.com", at: "2026-01-01T00:00:00Z" };
  const newResource = ({ inputs }) => ({ id: "unconfirmed-1", state: { ...inputs, job: {}, origin } });
  pulumi.runtime.setMocks({ newResource, call: () => ({}) }).then(() => {
    const job = new CachingJob("orders", ${JSON.stringify(declaration)});
    job.job.apply((record) => console.log(JSON.stringify(record)));
    job.origin.apply(() => job.jobId.apply(() => console.log("an id")));
  });`;

test("jobId of a job whose create is unconfirmed fails with the reason, so that nothing is built on a missing id", () => {
  const { status, stdout } = spawnSync(process.execPath, ["-e", programOfUnconfirmed], {
    cwd: resolve(__dirname, "../.."),
    encoding: "utf8",
  });
  const message =
    'CachingJob "orders": jobId is not known, because the create is unconfirmed. The next pulumi up says how to resolve it.';
  expect([status, stdout.trim().split("\n")]).toEqual([7, ["{}", `true ${message}`]]);
});
