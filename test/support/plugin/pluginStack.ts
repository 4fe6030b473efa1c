import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createStack, engineVersion, type EngineStack } from "../engine.js";
import { pluginMain } from "./pluginProcess.js";

const isOnPath = (name: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

/** `describe` where a CLI and its host for YAML programs are on PATH; elsewhere its tests are counted as skipped. */
export const describeWithYaml =
  engineVersion() !== undefined && isOnPath("pulumi-language-yaml") ? describe : describe.skip;

/** A stack whose program is YAML. It finds the built plugin by a path in Pulumi.yaml. */
export async function yamlStack(service: { readonly baseUrl: string; readonly token: string }): Promise<EngineStack> {
  const env = { DATA_CONNECTIVITY_BASE_URL: service.baseUrl, DATA_CONNECTIVITY_TOKEN: service.token };
  const stack = await createStack({ program: "", env });
  const folder = join(stack.folder, "plugin");
  mkdirSync(folder);
  const launcher = `#!/bin/sh\nexec "${process.execPath}" "${pluginMain}" "$@"\n`;
  writeFileSync(join(folder, "pulumi-resource-data-connectivity"), launcher, { mode: 0o755 });
  return stack;
}

/** Replaces the program. `resources` is JSON, which is YAML too. */
export function setResources(stack: EngineStack, resources: object): void {
  const project = {
    name: "acceptance",
    runtime: "yaml",
    plugins: { providers: [{ name: "data-connectivity", path: "./plugin" }] },
    resources,
  };
  writeFileSync(join(stack.folder, "Pulumi.yaml"), JSON.stringify(project));
}
