import { chmodSync, mkdirSync } from "node:fs";
import { CliFolder } from "./cliProcess.js";

/** A project whose CLI prints the given configuration, and the export of its stack: by default one without resources. */
export function configuredProject(
  values: Readonly<Record<string, string>>,
  { exported = '{"deployment":{}}', runtime = "nodejs" }: { exported?: string; runtime?: string } = {},
): CliFolder {
  const entries = Object.entries(values).map(([key, value]) => [key, { value, secret: false }]);
  const project = new CliFolder();
  project.write("Pulumi.yaml", `name: p\nruntime: ${runtime}\n`);
  project.write("config.json", JSON.stringify(Object.fromEntries(entries)));
  project.write("stack.json", exported);
  mkdirSync(`${project.path}/bin`);
  chmodSync(project.write("bin/pulumi", '#!/bin/sh\ncat "$(dirname "$0")/../$1.json"\n'), 0o755);
  return project;
}

/** The PATH on which that CLI is the only one. */
export const pathOf = ({ path }: CliFolder): string => `${path}/bin:/usr/bin:/bin`;
