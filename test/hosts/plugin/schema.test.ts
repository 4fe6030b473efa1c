import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import * as v1 from "../../../provider/src/hosts/dynamic/v1.js";
import * as program from "../../../provider/src/index.js";
import { jobKinds } from "../../../provider/src/jobs/index.js";
import { schemaText } from "../../../provider/src/hosts/plugin/processCalls.js";
import { membersOf } from "../../../provider/src/json.js";
import { version } from "../../../provider/src/version.js";
import { compile, optionsOfTemplate } from "../../support/compile.js";
import { root } from "../../support/pages.js";
import { examplesOf } from "../../support/plugin/schemaExamples.js";

const properties = z.record(z.string(), z.looseObject({ description: z.string().optional() }));
const value = z.object({ value: z.string(), description: z.string().optional() });
const object = z.looseObject({ properties: properties.optional(), enum: z.array(value).optional() });
const schema = z
  .looseObject({
    config: z.object({ variables: properties }),
    provider: z.looseObject({ inputProperties: properties }),
    types: z.record(z.string(), object),
    resources: z.record(z.string(), z.looseObject({ inputProperties: properties, properties })),
    functions: z.record(z.string(), z.looseObject({ inputs: object, outputs: object })),
  })
  .parse(JSON.parse(schemaText()));

const resource = (name: string) => schema.resources[`data-connectivity:index:${name}`];
const kinds = jobKinds.map(({ resource }) => resource);

test("The schema is that of this package and version", () => {
  expect(schema).toMatchObject({ name: "data-connectivity", version });
  expect(Object.keys(schema.resources)).toEqual(kinds.map((kind) => `data-connectivity:index:${kind}`));
  const functions = ["getAccounts", "getConnection", "getConnections", "getDataSources", "getJob", "getJobs"];
  expect(Object.keys(schema.functions)).toEqual(functions.map((name) => `data-connectivity:index:${name}`));
});

test.each(kinds)("A %s of the classes is the same resource, with a class and a provider of v1", (kind) => {
  expect(resource(kind)?.["aliases"]).toEqual([{ type: `pulumi-nodejs:dynamic/data-connectivity:${kind}` }]);
  expect(Object.keys(program)).toContain(kind);
  expect(Object.keys(v1)).toContain(kind.slice(0, 1).toLowerCase() + kind.slice(1));
});

test("Each property is described, in words that are not of one language", () => {
  const described = [
    ...[schema.config.variables, schema.provider.inputProperties],
    ...Object.values(schema.resources).flatMap((each) => [each.inputProperties, each.properties]),
    ...Object.values(schema.functions).flatMap(({ inputs, outputs }) => [inputs.properties, outputs.properties]),
    ...Object.values(schema.types).map((type) => type.properties),
  ].flatMap((each) => Object.entries(each ?? {}));
  expect(described.length).toBeGreaterThan(80);
  const unfit = /^$|=>|@link|pulumi\.Output|`new |undefined/;
  expect(described.filter(([, { description = "" }]) => unfit.test(description))).toEqual([]);
});

test("Each value of an enum is described", () => {
  const values = Object.values(schema.types).flatMap((type) => type.enum ?? []);
  expect(values.map(({ value }) => value)).toEqual([
    "Hour",
    "Day",
    "Week",
    "Month",
    "typed",
    "quoted",
    "create",
    "all",
  ]);
  expect(values.filter(({ description = "" }) => !/^[A-Z].{5,}\.$/.test(description))).toEqual([]);
});

test("No flag of pulumi do takes a marked word of its description for the name of its value", () => {
  const inputs = [
    ...[schema.config.variables, schema.provider.inputProperties],
    ...Object.values(schema.resources).map(({ inputProperties }) => inputProperties),
    ...Object.values(schema.functions).map(({ inputs: { properties = {} } }) => properties),
  ].flatMap((each) => Object.entries(each));
  const flags = inputs.filter(
    ([, { type, oneOf }]) => oneOf !== undefined || !["array", "object"].includes(String(type)),
  );
  expect(flags.length).toBeGreaterThan(20);
  expect(flags.filter(([, { $ref, description }]) => $ref === undefined && description?.includes("`"))).toEqual([]);
});

const described = { ...schema.resources, ...schema.functions };
const names = Object.keys(described).map((token) => token.split(":").at(-1) ?? "");
const languages = ["typescript", "python", "go", "java", "yaml"];

test("Each resource and function has an example in each language", () => {
  for (const name of names) expect(Object.keys(examplesOf(schemaText(), name))).toEqual(languages);
});

test("The examples in TypeScript compile, and those in YAML are YAML", () => {
  const files = names.map((name) => {
    const { typescript = "", yaml = "" } = examplesOf(schemaText(), name);
    expect(Object.keys(membersOf(parse(yaml)))).toContain("outputs");
    return [
      join(root, `example-${name}.ts`),
      typescript.replace("pulumi-data-connectivity-sdk", "pulumi-data-connectivity"),
    ] as const;
  });
  expect(files).toHaveLength(8);
  expect(compile(new Map(files), { ...optionsOfTemplate(), types: [] })).toEqual([]);
});
