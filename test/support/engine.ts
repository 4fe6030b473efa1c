import { execFileSync } from "node:child_process";
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
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import * as z from "zod";
import { startCommand, type CommandResult, type RunningCommand } from "./command.js";

const workspace = resolve(__dirname, "../..");
const project = "acceptance";
const stackName = "test";

/** The version of the `pulumi` CLI on PATH, such as "v3.248.0"; undefined if PATH has no `pulumi`. */
export function engineVersion(): string | undefined {
  try {
    return execFileSync("pulumi", ["version"], { encoding: "utf8", env: engineEnvironment(tmpdir()) }).trim();
  } catch {
    return undefined;
  }
}

/** A resource as the state holds it; secrets stay encrypted. */
export const savedResource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().optional(),
  inputs: z.record(z.string(), z.json()).default({}),
  outputs: z.record(z.string(), z.json()).default({}),
  protect: z.boolean().default(false),
  /** Whether it was replaced by another resource with this URN, and is still to be deleted. */
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
  /** The text of a JavaScript program, the path of a file that holds it, or the path of a folder that holds a project. */
  readonly program: string;
  /** Stack configuration; `{ secret }` is set with `--secret`. */
  readonly config?: Readonly<Record<string, ConfigValue>>;
  /** Variables for every command of this stack. */
  readonly env?: NodeJS.ProcessEnv;
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
  readonly #env: NodeJS.ProcessEnv;
  readonly #checkout: string;
  readonly #running = new Set<RunningCommand>();

  constructor(options: StackOptions) {
    this.#env = { ...engineEnvironment(this.folder), ...options.env };
    this.#checkout = options.checkout ?? workspace;
    mkdirSync(join(this.folder, "state"));
    this.write("Pulumi.yaml", `name: ${project}\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n`);
    this.write("package.json", JSON.stringify({ name: project, private: true, main: "index.js" }));
    for (const name of ["@pulumi/pulumi", "@types", "typescript"]) this.#link(`node_modules/${name}`);
    this.#link("provider", "node_modules/pulumi-data-connectivity");
    this.setProgram(options.program);
  }

  setProgram(program: string): void {
    if (isFolder(program)) cpSync(program, this.folder, { recursive: true, filter: isNoDependency });
    else this.write("index.js", existsSync(program) ? readFileSync(program, "utf8") : program);
  }

  /** Starts a command and returns at once, for tests that interrupt the command. */
  spawn(args: readonly string[], settings: CommandSettings = {}): RunningCommand {
    const command = startCommand("pulumi", [...args, "--non-interactive", "--color", "never"], {
      cwd: this.folder,
      env: { ...this.#env, ...settings.env },
    });
    this.#running.add(command);
    const forget = () => void this.#running.delete(command);
    command.finished.then(forget, forget);
    return command;
  }

  run(args: readonly string[], settings?: CommandSettings): Promise<CommandResult> {
    return this.spawn(args, settings).finished;
  }

  /** Runs a line as a user pastes it into a shell, in the stack's folder; questions of the CLI are answered with yes. */
  shell(line: string, env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
    const path = [join(workspace, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
    return startCommand("sh", ["-c", line], {
      cwd: this.folder,
      env: { ...this.#env, PATH: path, PULUMI_SKIP_CONFIRMATIONS: "true", ...env },
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

  /** The text of the state in the file backend, which is read much faster than the CLI exports it. */
  stateText(): string {
    const stacks = join(this.folder, "state/.pulumi/stacks");
    return readFileSync(join(stacks, readdirSync(stacks)[0] ?? "", `${stackName}.json`), "utf8");
  }

  get state(): z.infer<typeof checkpoint>["checkpoint"]["latest"] {
    return checkpoint.parse(JSON.parse(this.stateText())).checkpoint.latest;
  }

  async init(): Promise<void> {
    await this.#must(["stack", "init", stackName]);
  }

  /** Ends running commands and removes the folder. A test that kills the CLI must itself end the provider process. */
  async dispose(): Promise<void> {
    for (const command of this.#running) {
      // The second signal makes the CLI stop at once, and its plugins with it; SIGKILL would leave the plugins behind.
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

  protected write(name: string, text: string): void {
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

/** An environment without the user's own Pulumi and service settings. */
function engineEnvironment(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(PULUMI|DATA_CONNECTIVITY)_/.test(name));
  return {
    ...Object.fromEntries(own),
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "passphrase",
    PULUMI_STACK: stackName,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}
