import { readFileSync } from "node:fs";
import { join } from "node:path";
import { schemaText } from "../../../provider/src/hosts/plugin/processCalls.js";
import { isObject } from "../../../provider/src/json.js";
import { breaksBetween } from "../../../scripts/schema/breaks.js";

const released: unknown = JSON.parse(readFileSync(join(__dirname, "releasedSchema.json"), "utf8"));

test("Programs that were written for the last release stay valid", () => {
  expect(breaksBetween(released, JSON.parse(schemaText()))).toEqual([]);
});

const kind = "data-connectivity:index:CachingJob";

/** The released schema with one value of another kind; undefined: without it. */
function edited(path: readonly string[], value: unknown, whole: unknown = released): unknown {
  const [member, ...inner] = path;
  if (member === undefined) return value;
  if (!isObject(whole)) throw new Error(`The released schema has no ${path.join(".")}.`);
  const changed = edited(inner, value, whole[member]);
  const others = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== member));
  return changed === undefined ? others : { ...others, [member]: changed };
}

const of = (...path: string[]) => path;
const job = (...path: string[]) => of("resources", kind, ...path);
const type = (name: string, ...path: string[]) => of("types", `data-connectivity:index:${name}`, ...path);
const lookUp = (...path: string[]) => of("functions", "data-connectivity:index:getConnection", ...path);

test.each<[string, readonly string[], unknown, string[]]>([
  ["a resource that is gone", job(), undefined, [`${kind}: removed`]],
  ["an input that is gone", job("inputProperties", "enabled"), undefined, [`${kind}.enabled: removed`]],
  ["an input of another type", job("inputProperties", "enabled", "type"), "string", [`${kind}.enabled: another type`]],
  [
    "an input that must be given",
    job("requiredInputs"),
    ["intervalUnit", "intervalValue", "logVerbosity", "params", "enabled"],
    [`${kind}.enabled: now required`],
  ],
  ["an output that is gone", job("properties", "jobId"), undefined, [`${kind}.jobId: removed`]],
  [
    "an output that may be absent",
    job("required"),
    ["intervalUnit", "intervalValue", "logVerbosity", "params", "job", "origin"],
    [`${kind}.jobId: may be absent now`],
  ],
  [
    "another type of the classes",
    job("aliases"),
    [{ type: "x" }],
    [`${kind}: pulumi-nodejs:dynamic/data-connectivity:CachingJob removed`],
  ],
  [
    "a value of an enum that is gone",
    type("IntervalUnit", "enum"),
    [{ value: "Hour" }, { value: "Day" }, { value: "Week" }],
    ["data-connectivity:index:IntervalUnit: Month removed"],
  ],
  [
    "a member of params that must be given",
    type("CachingJobParams", "required"),
    ["sourceConnection", "sourceName", "sourceSchema", "sourceTable", "mergeKeys"],
    ["data-connectivity:index:CachingJobParams.mergeKeys: now required"],
  ],
  [
    "a member of a record that is gone",
    type("JobRecord", "properties", "created"),
    undefined,
    ["data-connectivity:index:JobRecord.created: removed"],
  ],
  [
    "an argument that must be given",
    lookUp("inputs", "required"),
    ["name", "account"],
    ["data-connectivity:index:getConnection inputs.account: now required"],
  ],
  [
    "a result that may be absent",
    lookUp("outputs", "required"),
    [],
    [
      "data-connectivity:index:getConnection outputs.id: may be absent now",
      "data-connectivity:index:getConnection outputs.name: may be absent now",
    ],
  ],
  ["a setting that is gone", of("config", "variables", "protect"), undefined, ["config.protect: removed"]],
  [
    "a provider's input of another type",
    of("provider", "inputProperties", "token", "type"),
    "integer",
    ["provider.token: another type"],
  ],
  ["another name of an SDK", of("language", "python", "packageName"), "x", ["language: changed"]],
])("%s breaks programs", (_what, path, value, breaks) => {
  expect(breaksBetween(released, edited(path, value))).toEqual(breaks);
});

test.each<[string, readonly string[], unknown]>([
  ["a description", job("description"), "other words"],
  ["an input's description", job("inputProperties", "enabled", "description"), "other words"],
  ["a new optional input", job("inputProperties", "priority"), { type: "integer" }],
  [
    "a new output that is always there",
    job("required"),
    ["intervalUnit", "intervalValue", "logVerbosity", "params", "job", "origin", "jobId", "more"],
  ],
  ["an input that need not be given any more", job("requiredInputs"), ["intervalUnit", "params"]],
  ["a new resource", of("resources", "data-connectivity:index:Other"), { requiredInputs: ["x"] }],
  [
    "a new value of an enum",
    type("IntervalUnit", "enum"),
    ["Hour", "Day", "Week", "Month", "Year"].map((value) => ({ value })),
  ],
  ["a record that has one member more", type("Connection", "required"), ["id", "name", "more"]],
])("%s breaks none", (_what, path, value) => {
  expect(breaksBetween(released, edited(path, value))).toEqual([]);
});
