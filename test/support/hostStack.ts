import { createStack, type EngineStack } from "./engine.js";
import { javascriptOf, yaml, type Language, type Program } from "./plugin/languages.js";
import { withoutSdk } from "./plugin/monitorProgram.js";
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

/** A host other than the dynamic provider. */
export type Host = "plugin";

/** The languages of programs that declare jobs of the plugin. */
const languages = { yaml, withoutSdk };
export type PluginLanguage = keyof typeof languages;

/** A stack whose program declares jobs of one host. */
export interface HostStack {
  readonly stack: EngineStack;
  /** Replaces the program. `live` fills in the values of this run. */
  readonly setProgram: (program: string | Program, live: (text: string) => string) => void;
}

export const startHostStack = (
  host: Host | undefined,
  language: PluginLanguage = "yaml",
  env: NodeJS.ProcessEnv = {},
): Promise<HostStack> => (host === undefined ? startWithClasses(env) : startWithPlugin(languages[language], env));

async function startWithClasses(env: NodeJS.ProcessEnv): Promise<HostStack> {
  const stack = await createStack({ program: "", env });
  return {
    stack,
    setProgram: (program, live) => {
      stack.setProgram(preamble + live(typeof program === "string" ? program : javascriptOf(program)));
    },
  };
}

async function startWithPlugin(language: Language, env: NodeJS.ProcessEnv): Promise<HostStack> {
  const program = await PluginStack.start(language, env);
  return {
    stack: program.stack,
    setProgram: (declared, live) => {
      program.declareJson(live(JSON.stringify(declared)));
    },
  };
}
