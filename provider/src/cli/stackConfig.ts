import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { StackConfig } from "../config/index.js";
import { isObject, parseJson } from "../json.js";
import { InputError, reasonOf } from "./command.js";

/** Where the doctor reads settings besides the environment. */
export interface Source {
  readonly config: StackConfig;
  /** Whether a key is stored encrypted. */
  readonly isSecret: (fullKey: string) => boolean;
  /** In words, for the report. */
  readonly from: string;
}

const environmentAlone = (why: string): Source => ({
  config: { get: () => undefined },
  isSecret: () => false,
  from: `the environment alone: ${why}`,
});

/**
 * A stack's configuration as the CLI tells it, where a stack is named or the folder holds a project; else none.
 * @throws InputError where a named or selected stack cannot be read.
 */
export async function readSource(stack: string | undefined, folder: string): Promise<Source> {
  const project = ["Pulumi.yaml", "Pulumi.yml"].some((name) => existsSync(join(folder, name)));
  if (stack === undefined && !project)
    return environmentAlone("no stack is named, and no Pulumi.yaml is in this folder");
  const args = ["config", "--json", "--show-secrets", "--non-interactive"];
  try {
    const { stdout } = await promisify(execFile)("pulumi", stack === undefined ? args : [...args, "--stack", stack], {
      cwd: folder,
      timeout: 120_000,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "true" },
    });
    const name = stack === undefined ? "the selected stack" : `the stack ${stack}`;
    return { ...readConfig(stdout), from: `the environment, then ${name} (pulumi config)` };
  } catch (error) {
    return withoutStack(error, stack);
  }
}

function withoutStack(error: unknown, stack: string | undefined): Source {
  const missing = isObject(error) && error["code"] === "ENOENT";
  const said = isObject(error) && typeof error["stderr"] === "string" ? error["stderr"].trim() : "";
  if (stack === undefined && missing)
    return environmentAlone("no pulumi CLI is on PATH to read a stack's configuration");
  if (stack === undefined && said.includes("no stack selected")) {
    return environmentAlone("no stack is selected; name one with --stack");
  }
  if (missing) {
    throw new InputError("--stack needs the pulumi CLI, and none is on PATH. Without --stack the environment is read.");
  }
  const reason = said === "" ? reasonOf(error) : said.replace(/^error: /gm, "");
  throw new InputError(
    `The configuration of the stack could not be read: ${reason}\n` +
      `By hand: pulumi config${stack === undefined ? "" : ` --stack ${stack}`}`,
  );
}

function readConfig(json: string): Pick<Source, "config" | "isSecret"> {
  const values = parseJson(json);
  const entry = (key: string): Readonly<Record<string, unknown>> => {
    const found = isObject(values) ? values[key] : undefined;
    return isObject(found) ? found : {};
  };
  return {
    config: {
      get(key) {
        const { value } = entry(key);
        return typeof value === "string" ? value : undefined;
      },
    },
    isSecret: (key) => entry(key)["secret"] === true,
  };
}

/** The folder that the program runs in, and a `credentialsCommand` with it: the project's, or the one its `main` names. */
export function programFolder(folder: string): string {
  const file = join(folder, "Pulumi.yaml");
  const [, main] = existsSync(file)
    ? (/^main:\s*["']?([^"'#\n]+?)["']?\s*$/m.exec(readFileSync(file, "utf8")) ?? [])
    : [];
  return main === undefined ? folder : resolve(folder, main);
}
