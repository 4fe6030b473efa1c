import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { jobKinds, type JobKind } from "../../provider/src/jobs/index.js";
import { dynamicType } from "../../provider/src/hosts/engineNames.js";
import { SourceFile } from "./docstrings.js";
import { inputsOf } from "./inputs.js";
import { functionOutputs, objectOf, outputTypes } from "./outputs.js";
import { publicationOf } from "./publication.js";
import { settingProperties, settingTypesByName } from "./settings.js";
import { packageName, reference, token, type ObjectSpec, type PropertySpec } from "./types.js";
import * as words from "./words.js";

const manifestFile = resolve(__dirname, "../../provider/package.json");
const manifest = z.object({ repository: z.object({ url: z.string() }).optional() });
const functions = new SourceFile("hosts/dynamic/functions.ts");
const jobResource = new SourceFile("hosts/dynamic/jobResource.ts");
const classes = {
  CachingJob: new SourceFile("hosts/dynamic/cachingJob.ts"),
  ScheduledQueryJob: new SourceFile("hosts/dynamic/scheduledQueryJob.ts"),
};

/** The package schema, which defines the plugin's resources and functions for the engine and for every SDK. */
export function pluginSchema() {
  const kinds = jobKinds.map((kind) => ({ kind, ...inputsOf(kind) }));
  const types = [...kinds.map((each) => each.types), outputTypes(), settingTypesByName()];
  const settings = settingProperties();
  return {
    name: packageName,
    ...words.aboutPackage,
    ...publicationOf(manifest.parse(JSON.parse(readFileSync(manifestFile, "utf8")))),
    config: { variables: settings },
    provider: { description: words.provider, inputProperties: settings },
    types: byToken(Object.fromEntries(types.flatMap((named) => Object.entries(named)))),
    resources: byToken(Object.fromEntries(kinds.map(({ kind, inputs }) => [kind.resource, resourceOf(kind, inputs)]))),
    functions: byToken({
      getAccounts: functionOf("getAccounts"),
      getConnection: functionOf("getConnection"),
      getConnections: functionOf("getConnections"),
      getDataSources: functionOf("getDataSources"),
      getJob: functionOf("getJob"),
      getJobs: functionOf("getJobs"),
    }),
    language: words.languages,
  };
}

function resourceOf(kind: JobKind, inputs: ObjectSpec) {
  const [whatItDoes = ""] = classes[kind.resource].description(kind.resource).split("\n\n");
  const output = (name: string, type: string): PropertySpec => ({
    ...reference(type),
    description: jobResource.property("JobResource", name).description,
  });
  return {
    description: [whatItDoes, ...words.everyJob].join("\n\n"),
    inputProperties: inputs.properties,
    requiredInputs: inputs.required,
    properties: {
      ...outputsOf(inputs.properties),
      job: output("job", "JobRecord"),
      origin: output("origin", "Origin"),
      jobId: { type: "string", description: words.jobId },
    },
    required: [...(inputs.required ?? []), "job", "origin", "jobId"],
    // The type that the same resource has in a TypeScript program with the classes of the npm package.
    aliases: [{ type: dynamicType(kind) }],
  };
}

/** An enum input also accepts strings. The output is always a value of the enum, so that programs can compare it. */
const outputsOf = (inputs: ObjectSpec["properties"]): ObjectSpec["properties"] =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [
      name,
      "oneOf" in input ? { ...input.oneOf[1], description: input.description } : input,
    ]),
  );

function functionOf(name: keyof typeof functionOutputs) {
  const args = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}Args`;
  return {
    description: functions.description(name),
    inputs: objectOf(functions.interface(args)),
    outputs: functionOutputs[name](),
  };
}

const byToken = <Value>(named: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [token(name), value]));
