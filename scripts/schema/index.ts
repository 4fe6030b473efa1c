import * as z from "zod";
import manifest from "../../provider/package.json";
import { dynamicType } from "../../provider/src/hosts/engineNames.js";
import {
  IntervalUnit,
  jobKinds,
  limitsOf,
  scheduleMembers,
  type FormName,
  type JobKind,
  type Member,
} from "../../provider/src/jobs/index.js";
import { schemas } from "../../provider/src/jobs/schemas.js";
import { descriptionOf, named, objectOf, valueDescription } from "./declared.js";
import { configVariables, providerProperties, settingTypes } from "./settings.js";
import { asFlags, enumOf, packageName, reference, token, type ObjectSpec } from "./specs.js";
import { exampleUsage } from "./examples.js";
import * as words from "./words.js";

// Until a repository is set, the file has none.
const { repository }: { readonly name: string; readonly repository?: { readonly url: string } } = manifest;
const functions = ["getAccounts", "getConnection", "getConnections", "getDataSources", "getJob", "getJobs"];

/** The package schema, which defines the plugin's resources and functions for the engine and for every SDK. */
export function pluginSchema() {
  return {
    name: packageName,
    ...words.aboutPackage,
    ...publicationOf(repository?.url),
    config: { variables: configVariables },
    provider: { description: words.provider, inputProperties: providerProperties },
    types: byToken({ ...jobTypes(), ...settingTypes }),
    resources: byToken(Object.fromEntries(jobKinds.map((kind) => [kind.resource, resourceOf(kind)]))),
    functions: byToken(Object.fromEntries(functions.map((name) => [name, functionOf(name)]))),
    language: words.languages,
  };
}

/** Everything that depends on the address of the repository on GitHub. Empty if none is set. */
export function publicationOf(url = "") {
  const [, slug, owner] = /github\.com\/(([^/]+)\/[^/]+?)(?:\.git)?$/.exec(url) ?? [];
  if (slug === undefined) return {};
  return {
    publisher: owner,
    repository: `https://github.com/${slug}`,
    // Where the engine looks for the archives: the repository's releases.
    pluginDownloadURL: `github://api.github.com/${slug}`,
    // By default, the .NET generator uses its own logo.
    logoUrl: `https://raw.githubusercontent.com/${slug}/main/docs/logo.svg`,
  };
}

function jobTypes() {
  return {
    IntervalUnit: enumOf(
      Object.fromEntries(Object.values(IntervalUnit).map((unit) => [unit, valueDescription("IntervalUnit", unit)])),
      descriptionOf("JobArgs", "intervalUnit"),
    ),
    ...Object.fromEntries(named.map((name) => [name, objectOf(name)])),
    // No member is required: unknown members are absent. The TypeScript interface declares all members as present,
    // because Pulumi lifts only members that are always present.
    JobRecord: { ...objectOf("JobRecord"), required: [] },
    ListedJob: objectOf("GetJobResult"),
  };
}

function resourceOf(kind: JobKind) {
  const { properties, required = [] } = inputsOf(kind);
  const [whatItDoes = ""] = descriptionOf(kind.resource).split("\n\n");
  return {
    description: [whatItDoes, ...words.everyJob, exampleUsage(kind.resource)].join("\n\n"),
    inputProperties: asFlags(properties),
    requiredInputs: required,
    listInputs: { type: "object", properties: asFlags(listInputsOf(kind)) },
    properties: {
      ...properties,
      // The input also accepts strings. The output is always a value of the enum, so that programs can compare it.
      intervalUnit: { ...reference("IntervalUnit"), description: properties["intervalUnit"]?.["description"] },
      job: { ...reference("JobRecord"), description: descriptionOf(kind.resource, "job") },
      origin: { ...reference("Origin"), description: descriptionOf(kind.resource, "origin") },
      jobId: { type: "string", description: words.jobId },
    },
    // A job that a program only reads (`get`) has no origin.
    required: [...required, "job", "jobId"],
    // The type that the same resource has in a TypeScript program with the classes of the npm package.
    aliases: [{ type: dynamicType(kind) }],
  };
}

/** The filters of a list of jobs: the account, and the members of the source. */
const listInputsOf = ({ source }: JobKind) =>
  Object.fromEntries([
    ["account", { type: "string", description: words.listedAccount }] as const,
    ...source.map((member) => [member, { type: "string", description: words.listedWith(member) }] as const),
  ]);

/** The inputs of a kind of job. If its params may have any member, their description lists the members that it declares. */
function inputsOf({ resource, params: members }: JobKind): ObjectSpec {
  mustAgree(`${resource}Args`, z.toJSONSchema(schemas[resource], { unrepresentable: "any", io: "input" }));
  mustState(`${resource}Args`, scheduleMembers);
  mustState(`${resource}Params`, members);
  const inputs = objectOf(`${resource}Args`);
  const { params } = inputs.properties;
  if (params?.["additionalProperties"] === undefined) return inputs;
  const known = objectOf(`${resource}Params`);
  const list = Object.entries(known.properties).map(
    ([name, { description }]) => `- \`${name}\`: ${String(description)}`,
  );
  const description = [params["description"], known.description, list.join("\n")].join("\n\n");
  return { ...inputs, properties: { ...inputs.properties, params: { ...params, description } } };
}

/** @throws Error unless the interface has the members, and the required members, of the schema that checks the inputs. */
function mustAgree(name: string, { properties = {}, required }: z.core.JSONSchema.JSONSchema): void {
  const declared = objectOf(name);
  const [ours, theirs] = [Object.keys(declared.properties), Object.keys(properties)];
  if (JSON.stringify([ours, declared.required]) !== JSON.stringify([theirs, required]))
    throw new Error(`${name} declares other members than its schema checks.`);
  const { params } = properties;
  if (typeof params === "object" && params.properties !== undefined) mustAgree(name.replace(/Args$/, "Params"), params);
}

/** @throws Error unless the docstrings state the limits and the defaults of these members. */
function mustState(name: string, members: Readonly<Record<string, Member>>): void {
  const { properties } = objectOf(name);
  for (const [member, row] of Object.entries(members)) {
    const text = String(properties[member]?.["description"]).replaceAll("`", "");
    const facts = [
      ...(saidByType.has(row.form) ? [] : limitsOf(row)),
      ...(row.sent === "always" && !row.required ? [`default ${JSON.stringify(row.default)}`] : []),
    ];
    const missing = facts.filter((fact) => !text.includes(fact));
    if (missing.length > 0) throw new Error(`The docstring of ${name}.${member} does not say: ${missing.join("; ")}.`);
  }
}

/** The forms whose type in the schema says what is accepted. */
const saidByType: ReadonlySet<FormName> = new Set(["flag", "mergeKeys", "boolean"]);

function functionOf(name: string) {
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const inputs = objectOf(`${title}Args`);
  return {
    description: [descriptionOf(name), exampleUsage(name)].join("\n\n"),
    inputs: { ...inputs, properties: asFlags(inputs.properties) },
    outputs: objectOf(name === "getConnection" ? "Connection" : `${title}Result`),
  };
}

const byToken = <Value>(values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [token(name), value]));
