import { chmodSync, mkdirSync } from "node:fs";
import { CliFolder } from "./cliProcess.js";

/** A project whose CLI prints the given configuration, whatever it is asked. */
export function configuredProject(values: Readonly<Record<string, string>>): CliFolder {
  const entries = Object.entries(values).map(([key, value]) => [key, { value, secret: false }]);
  const project = new CliFolder();
  project.write("Pulumi.yaml", "name: p\nruntime: nodejs\n");
  project.write("config.json", JSON.stringify(Object.fromEntries(entries)));
  mkdirSync(`${project.path}/bin`);
  chmodSync(project.write("bin/pulumi", '#!/bin/sh\ncat "$(dirname "$0")/../config.json"\n'), 0o755);
  return project;
}

/** The PATH on which that CLI is the only one. */
export const pathOf = ({ path }: CliFolder): string => `${path}/bin:/usr/bin:/bin`;
