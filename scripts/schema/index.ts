import manifest from "../../provider/package.json";
import { jobKinds, type JobKind } from "../../provider/src/jobs/index.js";
import { dynamicType } from "../../provider/src/hosts/engineNames.js";
import { declared } from "./declared.js";
import { inputsOf, namedTypes, objectOf } from "./objects.js";
import { publicationOf } from "./publication.js";
import { settingProperties, settingTypesByName } from "./settings.js";
import { packageName, reference, token } from "./types.js";
import * as words from "./words.js";

// Until a repository is set, the file has none.
const published: { readonly name: string; readonly repository?: { readonly url: string } } = manifest;
const functions = ["getAccounts", "getConnection", "getConnections", "getDataSources", "getJob", "getJobs"];

/** The package schema, which defines the plugin's resources and functions for the engine and for every SDK. */
export function pluginSchema() {
  const settings = settingProperties();
  return {
    name: packageName,
    ...words.aboutPackage,
    ...publicationOf(published),
    config: { variables: settings },
    provider: { description: words.provider, inputProperties: settings },
    types: byToken({ ...namedTypes(), ...settingTypesByName() }),
    resources: byToken(Object.fromEntries(jobKinds.map((kind) => [kind.resource, resourceOf(kind)]))),
    functions: byToken(Object.fromEntries(functions.map((name) => [name, functionOf(name)]))),
    language: words.languages,
  };
}

function resourceOf(kind: JobKind) {
  const { properties, required = [] } = inputsOf(kind);
  const [whatItDoes = ""] = declared(kind.resource).description.split("\n\n");
  const { job, origin } = objectOf(declared("JobResource")).properties;
  return {
    description: [whatItDoes, ...words.everyJob].join("\n\n"),
    inputProperties: properties,
    requiredInputs: required,
    properties: {
      ...properties,
      // The input also accepts strings. The output is always a value of the enum, so that programs can compare it.
      intervalUnit: { ...reference("IntervalUnit"), description: properties["intervalUnit"]?.description },
      job,
      origin,
      jobId: { type: "string", description: words.jobId },
    },
    required: [...required, "job", "origin", "jobId"],
    // The type that the same resource has in a TypeScript program with the classes of the npm package.
    aliases: [{ type: dynamicType(kind) }],
  };
}

function functionOf(name: string) {
  const named = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return {
    description: declared(name).description,
    inputs: objectOf(declared(`${named}Args`)),
    outputs: objectOf(declared(name === "getConnection" ? "Connection" : `${named}Result`)),
  };
}

const byToken = <Value>(named: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [token(name), value]));
