import { EngineStack } from "./engine.js";
import { isOnPath, javascriptOf, yaml, type Language, type Program } from "./plugin/languages.js";
import { PluginStack } from "./plugin/pluginStack.js";

/** The first lines of each program that uses the classes. */
const preamble = `
  const pulumi = require("@pulumi/pulumi");
  const sdk = { ...require("pulumi-data-connectivity"), Team: class extends pulumi.ComponentResource {
    constructor(name, _properties, options) { super("x:index:Team", name, {}, options); } } };
  const { CachingJob, ScheduledQueryJob, getDataSources } = sdk;
  const params = (more) => ({ sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f", sourceName: "Snowflake1",
    sourceSchema: "PUBLIC", sourceTable: "ORDERS", ...more });
  const job = (name, more, options) => new CachingJob(name,
    { intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2, params: params(), ...more }, options);
`;

const register = `
const { createRequire } = require("node:module");
const { getMonitor } = require("@pulumi/pulumi/runtime/settings");
const { RegisterResourceRequest } = require("@pulumi/pulumi/proto/resource_pb");
const { Struct } = createRequire(require.resolve("@pulumi/pulumi"))("google-protobuf/google/protobuf/struct_pb.js");

async function register(program) {
  for (const [name, { type, properties }] of Object.entries(program)) {
    const request = new RegisterResourceRequest()
      .setName(name)
      .setType(type.replace(":", ":index:"))
      .setCustom(true)
      .setAcceptsecrets(true)
      .setObject(Struct.fromJavaScript(properties));
    await new Promise((resolve, reject) => {
      getMonitor().registerResource(request, (error) => (error === null ? resolve() : reject(error)));
    });
  }
}`;

/** A program that registers its resources with the engine directly, so it can pass values that no SDK passes. */
export const withoutSdk: Language = {
  name: "JavaScript without an SDK",
  isHere: isOnPath("pulumi-language-nodejs"),
  runtime: "nodejs",
  files: (program) => ({ "index.js": `${register}\nmodule.exports = register(${JSON.stringify(program)});\n` }),
};

/** A host other than the dynamic provider. */
export type Host = "plugin";

/** The languages of programs that declare jobs of the plugin. */
const languages = { yaml, withoutSdk };
export type PluginLanguage = keyof typeof languages;

/** A stack whose program declares jobs of the classes. */
class ClassesStack extends EngineStack {
  override setProgram(program: string): void {
    super.setProgram(preamble + program);
  }

  declare(program: Program): void {
    this.setProgram(javascriptOf(program));
  }
}

export async function startHostStack(
  host: Host | undefined,
  language: PluginLanguage = "yaml",
  env: NodeJS.ProcessEnv = {},
): Promise<ClassesStack | PluginStack> {
  if (host !== undefined) return PluginStack.start(languages[language], env);
  const stack = new ClassesStack({ program: "", env });
  await stack.init();
  return stack;
}
