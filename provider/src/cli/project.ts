import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { isObject } from "../json.js";
import { InputError, reasonOf } from "./command.js";

/** The names of a project's file, in the order in which the CLI looks for them. */
const projectFiles = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];

/** The project's file in a folder or in the nearest one above it, where the CLI finds it too. */
export function findProjectFile(folder: string): string | undefined {
  const found = projectFiles.map((name) => join(folder, name)).find((file) => existsSync(file));
  const parent = dirname(folder);
  return found !== undefined || parent === folder ? found : findProjectFile(parent);
}

/**
 * The folder in which the engine runs a program: that of the project's file, or of what `main` in it names, be it a
 * folder or a file.
 * @throws InputError where the file cannot be parsed or `main` does not exist.
 */
export function programFolder(projectFile: string): string {
  const root = dirname(projectFile);
  const main = readMain(projectFile);
  if (main === undefined || main === "") return root;
  const path = resolve(root, main);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new InputError(`${projectFile}: "main" names ${main}, which does not exist.`);
  return found.isDirectory() ? path : dirname(path);
}

function readMain(projectFile: string): string | undefined {
  try {
    // JSON is YAML too.
    const project: unknown = parse(readFileSync(projectFile, "utf8"));
    const main = isObject(project) ? project["main"] : undefined;
    return typeof main === "string" ? main : undefined;
  } catch (error) {
    throw new InputError(`${projectFile} could not be read: ${reasonOf(error).split("\n")[0] ?? ""}`);
  }
}
