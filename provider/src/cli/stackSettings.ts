import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import type { StackConfig } from "../config/index.js";
import { CliError, printedJson } from "../hosts/cliOutput.js";
import { chosenIn, optionIn, pulumi } from "../hosts/stackExport.js";
import { isObject, membersOf } from "../json.js";
import { InputError, reasonOf } from "./command.js";
import type { Context } from "./context.js";

/** The options of each command that reads the settings of a stack. The usage says what `--json` prints. */
export const stackOptions = {
  json: { type: "boolean", default: false, help: "" },
  stack: {
    type: "string",
    value: "NAME",
    help: "read this stack's configuration too; default: the stack that PULUMI_STACK names, or the selected one",
  },
  cwd: {
    type: "string",
    value: "DIR",
    help: "the project's folder, or a folder inside it; default: the current one",
  },
} as const;

export interface StackOptions {
  readonly stack?: string | undefined;
  readonly cwd?: string | undefined;
}

/**
 * Reads the settings of a stack, and changes this process's working directory to the folder that the stack's program runs
 * in, because a credentialsCommand runs there.
 * @throws InputError if the folder does not exist, or the stack or its project cannot be read.
 */
export async function readStackSettings(context: Context, options: StackOptions): Promise<Source> {
  const source = await settingsOfStack(context, options);
  context.host.enter(source.folder);
  return source;
}

/**
 * The same, without changing the working directory. `isOneOfAll`: the configuration file that the environment may name is
 * another stack's.
 */
export async function settingsOfStack(
  { host, pathOf }: Context,
  options: StackOptions,
  isOneOfAll = false,
): Promise<Source> {
  const { env } = host;
  const { stack = chosenIn(env), cwd = optionIn(env, "CWD") } = options;
  const folder = pathOf(cwd ?? ".");
  if (!existsSync(folder)) throw new InputError(`The folder of --cwd does not exist: ${folder}`);
  const projectFile = findProjectFile(folder);
  const source =
    stack === undefined && projectFile === undefined
      ? environmentAlone("no stack is named, and no Pulumi.yaml is in this folder or above it")
      : await readStack(env, stack, folder, isOneOfAll ? undefined : optionIn(env, "CONFIG_FILE"));
  return {
    ...source,
    options: { stack, cwd },
    folder: projectFile === undefined ? folder : programFolder(projectFile),
  };
}

/** Where settings are read from, besides the environment. */
export interface Source {
  /** The options of the command that read it. */
  readonly options: StackOptions;
  /** The folder in which the stack's program and its credentialsCommand run. */
  readonly folder: string;
  readonly config: StackConfig;
  /** The full keys of all values, including those of other namespaces. */
  readonly keys: readonly string[];
  readonly isSecret: (fullKey: string) => boolean;
  /** Where the settings come from, in words for the report: `Settings from …`. */
  readonly from: string;
  /** Exports the stack, with its secrets. Absent if no stack's configuration was read. */
  readonly exportStack?: () => Promise<string>;
}

const environmentAlone = (why: string): Omit<Source, "options" | "folder"> => ({
  ...readConfig("{}"),
  from: `the environment alone: ${why}`,
});

/**
 * Reads a stack's configuration with the pulumi CLI. If no stack is named, the configuration is empty when no stack is
 * selected or the CLI is missing.
 * @throws InputError if a named or selected stack cannot be read.
 */
async function readStack(
  env: NodeJS.ProcessEnv,
  stack: string | undefined,
  folder: string,
  file: string | undefined,
): Promise<Omit<Source, "options" | "folder">> {
  const ofStack = stack === undefined ? [] : ["--stack", stack];
  const ask = (...args: readonly string[]) =>
    pulumi([...args, "--show-secrets", ...ofStack], { environment: env, folder });
  const ofFile = file === undefined ? [] : ["--config-file", file];
  try {
    const config = readConfig(await ask("config", "--json", ...ofFile));
    const name = stack === undefined ? "the selected stack" : `the stack ${stack}`;
    const from = `the environment, then ${name} (pulumi config)`;
    return { ...config, from, exportStack: () => ask("stack", "export") };
  } catch (error) {
    const isMissing = error instanceof CliError && error.isMissing;
    const reason = reasonOf(error);
    if (stack === undefined && isMissing)
      return environmentAlone("no pulumi CLI is on PATH to read a stack's configuration");
    if (stack === undefined && reason.includes("no stack selected"))
      return environmentAlone("no stack is selected; name one with --stack");
    if (isMissing)
      throw new InputError(
        "--stack needs the pulumi CLI, and none is on PATH. Without --stack the environment is read.",
      );
    throw new InputError(
      `The configuration of the stack could not be read: ${reason}\n` +
        `Run the same by hand: ${["pulumi config", ...ofStack, ...ofFile].join(" ")}`,
    );
  }
}

/** @throws CliError if the text is not what `pulumi config --json` prints. */
function readConfig(text: string): Pick<Source, "config" | "keys" | "isSecret"> {
  const values = printedJson("config", text);
  if (!isObject(values) || !Object.values(values).every(isObject))
    throw new CliError("what pulumi config printed cannot be read: it is JSON, but not a stack's configuration.");
  return {
    config: {
      get(key) {
        const { value } = membersOf(values[key]);
        return typeof value === "string" ? value : undefined;
      },
    },
    keys: Object.keys(values),
    isSecret: (key) => membersOf(values[key])["secret"] === true,
  };
}

/** The project's file in a folder or in the nearest parent folder that has one, as the CLI finds it. */
export function findProjectFile(folder: string): string | undefined {
  const found = projectFileIn(folder);
  const parent = dirname(folder);
  return found !== undefined || parent === folder ? found : findProjectFile(parent);
}

/** The project's file in this folder itself. */
export const projectFileIn = (folder: string): string | undefined =>
  // In the order in which the CLI looks for them.
  ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"].map((name) => join(folder, name)).find(isThere);

/** @throws InputError if that cannot be known, such as without the right to look into the folder. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (membersOf(error)["code"] === "ENOTDIR") return false;
    throw new InputError(`${file} could not be read: ${reasonOf(error)}`);
  }
}

/**
 * The folder in which the engine runs a program: the folder of the project's file, unless the file's `main` names
 * another folder, or a file in another folder.
 * @throws InputError if the file cannot be parsed or `main` does not exist.
 */
function programFolder(projectFile: string): string {
  const root = dirname(projectFile);
  const { main } = readProject(projectFile);
  if (typeof main !== "string" || main === "") return root;
  const path = resolve(root, main);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new InputError(`${projectFile}: "main" names ${main}, which does not exist.`);
  return found.isDirectory() ? path : dirname(path);
}

export function readProject(projectFile: string): Readonly<Record<string, unknown>> {
  try {
    // JSON is valid YAML.
    return membersOf(parse(readFileSync(projectFile, "utf8")));
  } catch (error) {
    throw new InputError(`${projectFile} could not be read: ${reasonOf(error).split("\n")[0] ?? ""}`);
  }
}
