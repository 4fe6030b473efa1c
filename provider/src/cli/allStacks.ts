import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CliError, printedJson } from "../hosts/cliOutput.js";
import { pulumi } from "../hosts/stackExport.js";
import { membersOf } from "../json.js";
import { sentences } from "../sentences.js";
import { InputError, reasonOf, UsageError } from "./command.js";
import type { Context } from "./context.js";
import { readPrintedExport, type StackExport } from "./stackExport.js";
import { findProjectFile, projectFileIn, readProject } from "./stackSettings.js";

/** A stack, and the folder of its project that has its settings. */
export interface FoundStack {
  /** Its name for the CLI. */
  readonly stack: string;
  readonly folder: string;
  /** Whether anything shows that these settings are the stack's own. */
  readonly isOwnFolder: boolean;
}

/** A stack that could not be read completely; without a name, all the stacks that a folder may have. */
export interface UnreadStack {
  readonly stack: string | undefined;
  readonly folder: string;
  readonly what: string;
  readonly fix?: string;
}

/** The stacks, and those that could not be read. */
interface FoundStacks {
  readonly stacks: readonly FoundStack[];
  readonly unread: readonly UnreadStack[];
}

interface Project {
  readonly folder: string;
  readonly name: unknown;
  readonly configDir: string;
  /** Projects with one key have the same stacks at the backend. */
  readonly key: string;
}

interface ListedStack extends Pick<FoundStack, "stack"> {
  readonly isSelected: boolean;
}

/** The stacks of the projects in these folders. Each folder is a project or contains projects. */
export async function stacksIn(context: Context, folders: readonly string[]): Promise<FoundStacks> {
  const groups = new Map<string, Project[]>();
  for (const project of folders.flatMap((folder) => projectsIn(context.pathOf(folder), folder)))
    groups.set(project.key, [...(groups.get(project.key) ?? []), project]);
  const stacks: FoundStack[] = [];
  const unread: UnreadStack[] = [];
  for (const projects of groups.values()) {
    const found = await stacksOf(context, projects);
    stacks.push(...found.stacks);
    unread.push(...found.unread);
  }
  return { stacks, unread };
}

function projectsIn(path: string, named: string): Project[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--all takes folders of projects, and ${JSON.stringify(named)} is not a folder.`);
  const own = projectFileIn(path);
  if (own !== undefined) return [projectOf(own)];
  const files = projectFilesIn(path);
  // A folder of projects may itself be inside a project, such as the repository's.
  const above = findProjectFile(path);
  const found = files.length > 0 || above === undefined ? files : [above];
  if (found.length > 0) return found.map(projectOf);
  throw new InputError(
    `There is no project in ${named}: no Pulumi.yaml in this folder, above it, or in a folder in it.`,
  );
}

/** The files of the projects in a folder, at any depth. Installed packages contain templates of projects. */
function projectFilesIn(path: string): string[] {
  const isPackage = (name: string) => name === "node_modules" || name.startsWith(".");
  const inside = readdirSync(path, { withFileTypes: true }).filter((one) => !one.isFile() && !isPackage(one.name));
  return inside
    .map((entry) => ({ entry, folder: join(path, entry.name) }))
    .sort((one, other) => (one.folder < other.folder ? -1 : 1))
    .flatMap(({ entry, folder }) => projectFileIn(folder) ?? (entry.isDirectory() ? projectFilesIn(folder) : []));
}

function projectOf(file: string): Project {
  const folder = dirname(file);
  const { name, backend, stackConfigDir } = readProject(file);
  const configDir = typeof stackConfigDir === "string" ? join(folder, stackConfigDir) : folder;
  return { folder, name, configDir, key: JSON.stringify([name, membersOf(backend)["url"]]) };
}

/**
 * The stacks of projects that share a name. The CLI lists all of them in each folder, but only one folder has the
 * settings of a stack: the one with the stack's file, or with the same name as the stack.
 */
async function stacksOf({ host }: Context, projects: readonly Project[]): Promise<FoundStacks> {
  const [first] = projects;
  let names: readonly ListedStack[] = [];
  try {
    names = namesIn(await pulumi(["stack", "ls", "--json"], { environment: host.env, ...first }));
  } catch (error) {
    const why = reasonOf(error);
    if (error instanceof CliError && error.isMissing)
      throw new InputError(`The stacks of the project could not be exported: ${why}`);
    const what = `its stacks could not be listed: ${why}`;
    return { stacks: [], unread: projects.map(({ folder }) => ({ stack: undefined, folder, what })) };
  }
  const stacks: FoundStack[] = [];
  const unread: UnreadStack[] = [];
  for (const { stack, isSelected } of names) {
    const short = stack.split("/").at(-1) ?? stack;
    const own = projects.find((project) => hasSettingsOf(project, short));
    const [folder] = own === undefined && projects.length > 1 ? [] : [(own ?? first)?.folder];
    if (folder !== undefined)
      stacks.push({ stack, folder, isOwnFolder: own !== undefined || names.length === 1 || isSelected });
    else
      unread.push({
        ...{ stack, folder: dirname(first?.folder ?? "") },
        what: `not asked, because none of the folders of the project ${String(first?.name)} has its settings: none has a file Pulumi.${short}.yaml or is called ${short}.`,
      });
  }
  const notListed = "the backend that pulumi is logged in to lists";
  const elsewhere = "Any that is at another backend, or in another organization, is not asked.";
  for (const { folder, configDir } of projects) {
    const others = settingsIn(configDir).filter((stack) => !names.some((one) => one.stack.split("/").at(-1) === stack));
    for (const stack of others)
      unread.push({
        stack,
        folder,
        what: `not asked: the folder has its settings, but ${notListed} no such stack.`,
        fix: elsewhere,
      });
    if (others.length === 0 && !stacks.some((one) => one.folder === folder))
      unread.push({ stack: undefined, folder, what: `not asked: ${notListed} no stack of it.`, fix: elsewhere });
  }
  return { stacks, unread };
}

/** The stacks whose settings a folder has. */
const settingsIn = (configDir: string): string[] => {
  const files = existsSync(configDir) ? readdirSync(configDir) : [];
  return files.flatMap((file) => /^Pulumi\.(.+)\.(?:yaml|yml|json)$/.exec(file)?.[1] ?? []);
};

/** @throws CliError if the text is not what `pulumi stack ls --json` prints. */
function namesIn(text: string): readonly ListedStack[] {
  const listed = printedJson("stack ls", text);
  const names = (Array.isArray(listed) ? listed : [undefined]).map((one: unknown) => membersOf(one));
  return names.map(({ name, current }) => {
    if (typeof name === "string") return { stack: name, isSelected: current === true };
    throw new CliError("what pulumi stack ls printed cannot be read: it is JSON, but not a list of stacks.");
  });
}

/** A folder has a stack's settings if it has the stack's file or the stack's name. */
const hasSettingsOf = ({ folder, configDir }: Project, stack: string): boolean =>
  ["yaml", "yml", "json"].some((ending) => existsSync(join(configDir, `Pulumi.${stack}.${ending}`))) ||
  basename(folder) === stack;

/**
 * The exports of all stacks, without their secrets.
 * @throws InputError if one is missing.
 */
export async function exportStacks({ host }: Context, { stacks, unread }: FoundStacks): Promise<StackExport[]> {
  const read = await each(stacks, async ({ stack, folder }): Promise<StackExport | UnreadStack> => {
    try {
      const text = await pulumi(["stack", "export", "--stack", stack], { environment: host.env, folder });
      return readPrintedExport({ text, from: `The stack ${stack}`, stack });
    } catch (error) {
      return { stack, folder, what: reasonOf(error) };
    }
  });
  const missing = [...read.flatMap((one) => ("what" in one ? [one] : [])), ...unread];
  if (missing.length === 0) return read.flatMap((one) => ("what" in one ? [] : [one]));
  throw new InputError(missing.map((one) => `${titleOfUnread(one)}: ${sentences(one.what, one.fix)}`).join("\n"));
}

export const titleOfUnread = ({ stack, folder }: UnreadStack): string =>
  stack === undefined ? `Folder ${folder}` : `Stack ${stack} in ${folder}`;

/** Several at a time: each takes a process of the CLI, and a fleet has hundreds of stacks. */
export async function each<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await read(item);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return results;
}
