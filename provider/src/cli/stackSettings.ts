import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "./command.js";
import { findProjectFile, programFolder } from "./project.js";
import { readSource, type Source } from "./stackConfig.js";

/** The options by which a command is told whose settings it reads, for `parseArguments`. */
export const stackOptions = { stack: { type: "string" }, cwd: { type: "string" } } as const;

export interface StackOptions {
  readonly stack?: string | undefined;
  readonly cwd?: string | undefined;
}

/**
 * Reads the settings of a stack, and makes the folder of its program this process's own: a credentialsCommand runs where
 * the program does.
 * @throws InputError where the folder does not exist, or the stack or its project cannot be read.
 */
export async function readStackSettings({ stack, cwd = "." }: StackOptions): Promise<Source> {
  const folder = resolve(cwd);
  if (!existsSync(folder)) throw new InputError(`The folder of --cwd does not exist: ${folder}`);
  const projectFile = findProjectFile(folder);
  const source = await readSource(stack, folder, projectFile);
  process.chdir(projectFile === undefined ? folder : programFolder(projectFile));
  return source;
}
