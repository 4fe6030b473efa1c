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

const job = (path: string) => ["resources", kind, ...path.split(" ")];
const type = (name: string, path: string) => ["types", `data-connectivity:index:${name}`, ...path.split(" ")];
const getConnection = (path: string) => ["functions", "data-connectivity:index:getConnection", ...path.split(" ")];
const declared = ["intervalUnit", "intervalValue", "logVerbosity", "params"];

test.each<[string, readonly string[], unknown]>([
  [`${kind}: removed`, ["resources", kind], undefined],
  [`${kind}.enabled: removed`, job("inputProperties enabled"), undefined],
  [`${kind}.enabled: another type`, job("inputProperties enabled type"), "string"],
  [`${kind}.enabled: now required`, job("requiredInputs"), [...declared, "enabled"]],
  [`${kind}.jobId: removed`, job("properties jobId"), undefined],
  [`${kind}.jobId: may be absent now`, job("required"), [...declared, "job"]],
  [`${kind}: pulumi-nodejs:dynamic/data-connectivity:CachingJob removed`, job("aliases"), [{ type: "x" }]],
  [
    "data-connectivity:index:IntervalUnit: Month removed",
    type("IntervalUnit", "enum"),
    ["Hour", "Day", "Week"].map((value) => ({ value })),
  ],
  [
    "data-connectivity:index:CachingJobParams.mergeKeys: now required",
    type("CachingJobParams", "required"),
    ["sourceConnection", "sourceName", "sourceSchema", "sourceTable", "mergeKeys"],
  ],
  ["data-connectivity:index:JobRecord.created: removed", type("JobRecord", "properties created"), undefined],
  [
    "data-connectivity:index:getConnection inputs.account: now required",
    getConnection("inputs required"),
    ["name", "account"],
  ],
  ["data-connectivity:index:getConnection outputs.name: may be absent now", getConnection("outputs required"), ["id"]],
  ["config.protect: removed", ["config", "variables", "protect"], undefined],
  ["provider.token: another type", ["provider", "inputProperties", "token", "type"], "integer"],
  ["language: changed", ["language", "python", "packageName"], "x"],
])("Programs break: %s", (broken, path, value) => {
  expect(breaksBetween(released, edited(path, value))).toEqual([broken]);
});

test.each<[string, readonly string[], unknown]>([
  ["a description", job("description"), "other words"],
  ["an input's description", job("inputProperties enabled description"), "other words"],
  ["a new optional input", job("inputProperties priority"), { type: "integer" }],
  ["a new output that is always there", job("required"), [...declared, "job", "origin", "jobId", "more"]],
  ["an input that need not be given any more", job("requiredInputs"), ["intervalUnit", "params"]],
  ["a new resource", ["resources", "data-connectivity:index:Other"], { requiredInputs: ["x"] }],
  [
    "a new value of an enum",
    type("IntervalUnit", "enum"),
    ["Hour", "Day", "Week", "Month", "Year"].map((value) => ({ value })),
  ],
  ["a record that has one member more", type("Connection", "required"), ["id", "name", "more"]],
])("%s breaks none", (_what, path, value) => {
  expect(breaksBetween(released, edited(path, value))).toEqual([]);
});
