import type { CommandResult } from "../support/command.js";
import type { CliFolder } from "./cliProcess.js";
import { configuredProject, pathOf } from "./configuredProject.js";
import { settingsFor } from "./doctorHelper.js";

export interface Asked {
  readonly args?: readonly string[];
  readonly config?: Readonly<Record<string, string>>;
  /** The environment instead of the service's address and token. */
  readonly env?: NodeJS.ProcessEnv;
  /** The export of a stack, for standard input. */
  readonly stack?: string;
}

/** What `jobs --at-service` prints in a project that allows all job operations, unless `config` says otherwise. */
export async function askService(
  service: { readonly baseUrl: string; readonly token: string },
  { args = [], config = { "data-connectivity:jobOperations": "all" }, stack, env }: Asked = {},
): Promise<CommandResult & { readonly lines: readonly string[] }> {
  const project = configuredProject(config);
  try {
    const given = stack === undefined ? [] : ["-"];
    const result = await run(project, ["jobs", "--at-service", ...given, ...args], stack, {
      PATH: pathOf(project),
      ...(env ?? settingsFor(service)),
    });
    return { ...result, lines: result.stdout.split("\n").map((line) => line.trim().replace(/ {2,}/g, " | ")) };
  } finally {
    project.dispose();
  }
}

function run(project: CliFolder, args: readonly string[], stack: string | undefined, env: NodeJS.ProcessEnv) {
  if (stack === undefined) return project.run(args, env);
  return project.shell('cat "$FILE" | "$NODE" "$MAIN" "$@"', args, { ...env, FILE: project.write("input.txt", stack) });
}
