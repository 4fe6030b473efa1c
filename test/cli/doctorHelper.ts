import type { CommandResult } from "../support/command.js";
import type { CliFolder } from "./cliProcess.js";

/** The doctor's output, with lines trimmed and spaces collapsed so that alignment does not matter. */
export interface Examined extends CommandResult {
  readonly lines: readonly string[];
}

export async function examine(
  folder: CliFolder,
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): Promise<Examined> {
  const result = await folder.run(["doctor", ...args], env);
  return { ...result, lines: result.stdout.split("\n").map((line) => line.trim().replace(/ +/g, " ")) };
}

export const settingsFor = ({ baseUrl, token }: { baseUrl: string; token: string }): NodeJS.ProcessEnv => ({
  DATA_CONNECTIVITY_BASE_URL: baseUrl,
  DATA_CONNECTIVITY_TOKEN: token,
});
