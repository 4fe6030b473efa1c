import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { jobKinds } from "../../provider/src/jobs/index.js";
import { schemas } from "../../provider/src/jobs/schemas.js";
import { root } from "./pages.js";

export const templateFolder = (name: string): string => join(root, "templates", name);
export const templates: readonly string[] = readdirSync(templateFolder(""));

/** Makes a project from a template, as `pulumi new` does without a stack: copies the files, and fills in the name. */
export function makeProject(name: string, folder: string, project: string): void {
  cpSync(templateFolder(name), folder, { recursive: true });
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, path);
    if (!statSync(file).isFile()) continue;
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replaceAll("${PROJECT}", project).replaceAll("${DESCRIPTION}", "Jobs of a test"));
  }
}

const yamlProgram = z.object({
  resources: z.record(z.string(), z.object({ type: z.string(), properties: z.record(z.string(), z.json()) })),
});

/** For each resource of a YAML program, whether the plugin refuses it. */
export function refusedIn(program: string): Readonly<Record<string, boolean>> {
  const { resources } = yamlProgram.parse(parse(program));
  return Object.fromEntries(
    Object.entries(resources).map(([name, { type, properties }]) => {
      const kind = jobKinds.find(({ resource }) => type === `data-connectivity:${resource}`);
      return [name, kind === undefined || !schemas[kind.resource].safeParse(properties).success];
    }),
  );
}
