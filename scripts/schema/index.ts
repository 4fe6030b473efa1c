import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { jobKinds, type JobKind } from "../../provider/src/jobs/index.js";
import { dynamicType } from "../../provider/src/hosts/engineNames.js";
import { declared, descriptionOfMember } from "./declared.js";
import { capitalized, inputsOf, namedTypes, objectOf, resultOf } from "./objects.js";
import { publicationOf } from "./publication.js";
import { settingProperties, settingTypesByName } from "./settings.js";
import { packageName, reference, token, type ObjectSpec, type PropertySpec } from "./types.js";
import * as words from "./words.js";

const manifestFile = resolve(__dirname, "../../provider/package.json");
const manifest = z.object({ repository: z.object({ url: z.string() }).optional() });
const functions = ["getAccounts", "getConnection", "getConnections", "getDataSources", "getJob", "getJobs"];

/** The package schema, which defines the plugin's resources and functions for the engine and for every SDK. */
export function pluginSchema() {
  const settings = settingProperties();
  return {
    name: packageName,
    ...words.aboutPackage,
    ...publicationOf(manifest.parse(JSON.parse(readFileSync(manifestFile, "utf8")))),
    config: { variables: settings },
    provider: { description: words.provider, inputProperties: settings },
    types: byToken({ ...namedTypes(), ...settingTypesByName() }),
    resources: byToken(Object.fromEntries(jobKinds.map((kind) => [kind.resource, resourceOf(kind)]))),
    functions: byToken(Object.fromEntries(functions.map((name) => [name, functionOf(name)]))),
    language: words.languages,
  };
}

function resourceOf(kind: JobKind) {
  const inputs = inputsOf(kind);
  const [whatItDoes = ""] = declared(kind.resource).description.split("\n\n");
  const output = (name: string, type: string): PropertySpec => ({
    ...reference(type),
    description: descriptionOfMember("JobResource", name),
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

const functionOf = (name: string) => ({
  description: declared(name).description,
  inputs: objectOf(declared(`${capitalized(name)}Args`)),
  outputs: resultOf(name),
});

const byToken = <Value>(named: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [token(name), value]));
