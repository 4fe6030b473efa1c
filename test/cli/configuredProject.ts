import { chmodSync, mkdirSync } from "node:fs";
import { CliFolder } from "./cliProcess.js";

/** A project with a fake CLI that prints this configuration and this stack export (default: no resources). */
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

/** A PATH with no other Pulumi CLI. */
export const pathOf = ({ path }: CliFolder): string => `${path}/bin:/usr/bin:/bin`;
