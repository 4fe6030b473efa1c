import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { membersOf, type JsonObject } from "../../../provider/src/json.js";
import type { CommandResult } from "../command.js";
import { EngineStack } from "../engine.js";
import { inputs } from "./inputs.js";
import type { Declared, Language, Program } from "./languages.js";
import { pluginMain } from "../driver/process.js";

/** A stack whose program declares resources of the plugin. Pulumi.yaml has the plugin's path. */
export class PluginStack extends EngineStack {
  private constructor(
    private readonly language: Language,
    env: NodeJS.ProcessEnv,
  ) {
    super({ program: "", env });
  }

  /** `env` applies to every command. */
  static async start(language: Language, env: NodeJS.ProcessEnv): Promise<PluginStack> {
    const stack = new PluginStack(language, env);
    await stack.init();
    const folder = join(stack.folder, "plugin");
    mkdirSync(folder);
    const launcher = `#!/bin/sh\nexec "${process.execPath}" "${pluginMain}" "$@"\n`;
    writeFileSync(join(folder, "pulumi-resource-data-connectivity"), launcher, { mode: 0o755 });
    await language.prepare?.(stack);
    stack.declare({});
    return stack;
  }

  /** Replaces the program. `project` has more members for Pulumi.yaml. */
  declare(program: Program, project: object = {}): void {
    this.writeAll(this.language.files?.(program), { resources: program }, project);
  }

  /** Replaces the program with what `pulumi import --out` wrote. */
  declareImported(text: string): void {
    const { runtime, imported } = this.language;
    const resources: unknown = runtime === "yaml" ? parse(text) : {};
    this.writeAll(imported?.(text), membersOf(resources));
  }

  private writeAll(files: Readonly<Record<string, string>> | undefined, ofYaml: object, more: object = {}): void {
    const { runtime } = this.language;
    const project = {
      name: "acceptance",
      runtime,
      plugins: { providers: [{ name: "data-connectivity", path: "./plugin" }] },
      ...(runtime === "yaml" && ofYaml),
      ...more,
    };
    // JSON is valid YAML.
    const all = { "Pulumi.yaml": JSON.stringify(project), ...files };
    for (const [name, text] of Object.entries(all)) this.write(name, text);
  }
}

/** A caching job in a program. */
export const job = (properties: JsonObject, options: JsonObject = {}): Declared => ({
  type: "data-connectivity:CachingJob",
  properties,
  options,
});

/** A caching job for each of these tables, named as the table. */
export const jobsOf = (tables: readonly string[]): Program =>
  Object.fromEntries(tables.map((table) => [table, job(inputs(table))]));

/** A provider that a program declares. */
export const provider = (properties: JsonObject): Declared => ({
  type: "pulumi:providers:data-connectivity",
  properties,
});

/** The output of a command. @throws Error if it failed. */
export async function succeeds(command: Promise<CommandResult>): Promise<string> {
  const { exitCode, output } = await command;
  if (exitCode !== 0) throw new Error(`The command failed:\n${output}`);
  return output;
}

/** The output of a command. @throws Error if it succeeded. */
export async function fails(command: Promise<CommandResult>): Promise<string> {
  const { exitCode, output } = await command;
  if (exitCode === 0) throw new Error(`The command succeeded:\n${output}`);
  return output;
}
