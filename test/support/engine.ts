import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  watch,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { membersOf, parseJson } from "../../provider/src/json.js";
import { startCommand, type CommandResult, type RunningCommand } from "./command.js";
import { pluginMain } from "./driver/process.js";
import { classes, type Language, type Program } from "./plugin/languages.js";
import { engineEnvironment, stackName } from "./pulumiCli.js";

const workspace = resolve(__dirname, "../..");
const project = "acceptance";

/** A resource as the state holds it; secrets stay encrypted. */
export const savedResource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.json()).default({}),
  outputs: z.record(z.string(), z.json()).default({}),
  protect: z.boolean().default(false),
  /** Whether another resource with this URN has replaced it, and it is still to be deleted. */
  delete: z.boolean().default(false),
  retainOnDelete: z.boolean().default(false),
  initErrors: z.array(z.string()).default([]),
  sourcePosition: z.string().optional(),
});
const checkpoint = z.object({
  checkpoint: z.object({
    latest: z.object({
      resources: z.array(savedResource).default([]),
      pending_operations: z.array(z.json()).default([]),
    }),
  }),
});
export type SavedResource = z.infer<typeof savedResource>;

export interface StackOptions {
  /** The program's language, which decides the host of its resources; by default JavaScript with the classes. */
  readonly language?: Language | undefined;
  /** The text of a JavaScript program, the path of a file that holds it, or the path of a folder that holds a project. */
  readonly program?: string;
  /** Variables for every command of this stack. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** The folder of the checkout whose package and SDK the program uses; by default this checkout. */
  readonly checkout?: string | undefined;
}

export type ConfigValue = string | { readonly secret: string };

export interface CommandSettings {
  readonly env?: NodeJS.ProcessEnv;
}

/** An isolated stack: its project, file backend and PULUMI_HOME are in one temporary folder. */
export class EngineStack {
  readonly folder = mkdtempSync(join(tmpdir(), "pulumi-stack-"));
  /** Changes each text of a program before it is written. */
  edit = (text: string): string => text;
  readonly #language: Language;
  readonly #env: NodeJS.ProcessEnv;
  /** How far the clocks of the stack's Node processes are ahead; a service of the stack may follow it. */
  aheadMs = 0;
  readonly #checkout: string;
  readonly #running = new Set<RunningCommand>();

  constructor({ language = classes, program = "", env, checkout = workspace }: StackOptions = {}) {
    this.#language = language;
    this.#env = { ...engineEnvironment(this.folder), ...env };
    this.#checkout = checkout;
    mkdirSync(join(this.folder, "state"));
    if (language.host === "plugin") this.#writePlugin();
    this.#writeProject();
    this.write("package.json", JSON.stringify({ name: project, private: true, main: "index.js" }));
    for (const name of ["@pulumi/pulumi", "@types", "typescript"]) this.#link(`node_modules/${name}`);
    this.#link("provider", "node_modules/pulumi-data-connectivity");
    this.setProgram(program);
  }

  setProgram(program: string): void {
    if (isFolder(program)) cpSync(program, this.folder, { recursive: true, filter: isNoDependency });
    else this.write("index.js", existsSync(program) ? readFileSync(program, "utf8") : program);
  }

  /** Replaces the program. A JavaScript program may be given as a string. */
  declare(program: Program | string): void {
    const { head = "", files } = this.#language;
    if (typeof program === "string") this.setProgram(head + program);
    else this.#writeAll(files?.(program), { resources: program });
  }

  /** Replaces the program with what `pulumi import --out` wrote. */
  declareImported(text: string): void {
    const { runtime, imported } = this.#language;
    this.#writeAll(imported?.(text), runtime === "yaml" ? membersOf(parse(text)) : {});
  }

  #writePlugin(): void {
    mkdirSync(join(this.folder, "plugin"));
    const launcher = `#!/bin/sh\nexec "${process.execPath}" "${pluginMain}" "$@"\n`;
    const path = join(this.folder, "plugin/pulumi-resource-data-connectivity");
    writeFileSync(path, launcher, { mode: 0o755 });
  }

  #writeAll(files: Readonly<Record<string, string>> = {}, ofYaml: object): void {
    this.#writeProject(ofYaml);
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  #writeProject(ofYaml: object = { resources: {} }): void {
    const { host, runtime } = this.#language;
    const all = {
      name: project,
      runtime: runtime === "nodejs" ? { name: runtime, options: { typescript: false } } : runtime,
      ...(host === "plugin" && { plugins: { providers: [{ name: "data-connectivity", path: "./plugin" }] } }),
      ...(runtime === "yaml" && ofYaml),
    };
    // JSON is valid YAML.
    this.write("Pulumi.yaml", JSON.stringify(all));
  }

  /** Starts a command and returns at once, for tests that interrupt the command. */
  spawn(args: readonly string[], settings: CommandSettings = {}): RunningCommand {
    const command = startCommand("pulumi", [...args, "--non-interactive", "--color", "never"], {
      cwd: this.folder,
      env: { ...this.#env, ...this.clock(), ...settings.env },
    });
    this.#running.add(command);
    const forget = () => void this.#running.delete(command);
    command.finished.then(forget, forget);
    return command;
  }

  run(args: readonly string[], settings?: CommandSettings): Promise<CommandResult> {
    return this.spawn(args, settings).finished;
  }

  /** Makes it that much later for the processes of later commands. */
  pass(ms: number): void {
    this.aheadMs += ms;
  }

  private clock(): NodeJS.ProcessEnv {
    if (this.aheadMs === 0) return {};
    const preload = join(workspace, "test/support/wallAhead.cjs");
    return { NODE_OPTIONS: `--require ${JSON.stringify(preload)}`, TEST_WALL_AHEAD_MS: String(this.aheadMs) };
  }

  /** Runs a line as if a user pasted it into a shell in the stack's folder; answers yes to questions of the CLI. */
  shell(line: string, env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
    const path = [join(workspace, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
    return startCommand("sh", ["-c", line], {
      cwd: this.folder,
      env: { ...this.#env, ...this.clock(), PATH: path, PULUMI_SKIP_CONFIRMATIONS: "true", ...env },
    }).finished;
  }

  preview(extraArgs: readonly string[] = [], settings?: CommandSettings): Promise<CommandResult> {
    return this.run(["preview", "--suppress-progress", ...extraArgs], settings);
  }

  /** Runs `pulumi up` with a preview, as users do; pass `--skip-preview` for the update alone. */
  up(extraArgs: readonly string[] = [], settings?: CommandSettings): Promise<CommandResult> {
    return this.run(["up", "--yes", "--suppress-progress", ...extraArgs], settings);
  }

  refresh(extraArgs: readonly string[] = [], settings?: CommandSettings): Promise<CommandResult> {
    return this.run(["refresh", "--yes", "--suppress-progress", ...extraArgs], settings);
  }

  destroy(extraArgs: readonly string[] = [], settings?: CommandSettings): Promise<CommandResult> {
    return this.run(["destroy", "--yes", "--suppress-progress", ...extraArgs], settings);
  }

  async setConfig(config: Readonly<Record<string, ConfigValue>>): Promise<void> {
    const values = Object.entries(config).flatMap(([key, value]) =>
      typeof value === "string" ? ["--plaintext", `${key}=${value}`] : ["--secret", `${key}=${value.secret}`],
    );
    if (values.length > 0) await this.#must(["config", "set-all", "--path", ...values]);
  }

  /** The text of the state in the file backend: reading it is much faster than an export by the CLI. */
  stateText(): string {
    return readFileSync(join(this.#stateFolder, `${stackName}.json`), "utf8");
  }

  get #stateFolder(): string {
    const stacks = join(this.folder, "state/.pulumi/stacks");
    return join(stacks, readdirSync(stacks)[0] ?? "");
  }

  /** Resolves when the state has this many pending operations, which the engine writes one by one. */
  async untilPending(count: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = () => {
        // It may be half written.
        const state = checkpoint.safeParse(parseJson(this.stateText()));
        if ((state.data?.checkpoint.latest.pending_operations.length ?? 0) < count) return;
        watcher.close();
        resolve();
      };
      const watcher = watch(this.#stateFolder, look);
      look();
    });
  }

  get state(): z.infer<typeof checkpoint>["checkpoint"]["latest"] {
    return checkpoint.parse(JSON.parse(this.stateText())).checkpoint.latest;
  }

  async init(): Promise<void> {
    await this.#must(["stack", "init", stackName]);
    await this.#language.prepare?.(this);
  }

  /** Ends running commands and removes the folder. A test that kills the CLI must itself end the provider process. */
  async dispose(): Promise<void> {
    for (const command of this.#running) {
      // The second signal makes the CLI and its plugins stop at once; SIGKILL would leave the plugins behind.
      command.kill("SIGINT");
      command.kill("SIGTERM");
    }
    await Promise.allSettled([...this.#running].map((command) => command.finished));
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #must(args: readonly string[]): Promise<void> {
    const result = await this.run(args);
    if (result.exitCode !== 0) throw new Error(`pulumi ${args.slice(0, 2).join(" ")} failed:\n${result.output}`);
  }

  private write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), this.edit(text));
  }

  #link(target: string, name = target): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    symlinkSync(join(this.#checkout, target), join(this.folder, name), "dir");
  }
}

const isFolder = (path: string) =>
  !path.includes("\n") && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
const isNoDependency = (path: string) => !path.includes("node_modules");

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
