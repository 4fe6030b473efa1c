import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { schemaText } from "../../../provider/src/hosts/plugin/processCalls.js";
import { isObject, type JsonObject } from "../../../provider/src/json.js";
import { version } from "../../../provider/src/version.js";
import type { Host } from "../driver/process.js";
import type { EngineStack } from "../engine.js";
import { engineVersion } from "../pulumiCli.js";

/** A resource as a YAML program declares it: `"${name}"` is another resource, `{ "fn::secret": value }` a secret. */
export interface Declared {
  /** `data-connectivity:CachingJob`, or `pulumi:providers:data-connectivity`. */
  readonly type: string;
  /** The resource's name, if it differs from its key in `Program`. */
  readonly name?: string | undefined;
  readonly properties?: JsonObject;
  readonly options?: JsonObject;
  /** Reads the resource by its id (YAML only). */
  readonly get?: JsonObject;
}

/** Resources by name, in declaration order. */
export type Program = Readonly<Record<string, Declared>>;

/** A language in which a test writes its program. */
export interface Language {
  readonly name: string;
  /** The host of the resources in such a program. */
  readonly host: Host;
  /** Whether this machine can run the language. */
  readonly isHere: boolean;
  readonly runtime: string;
  /** The first lines of each JavaScript program that a test writes itself. */
  readonly head?: string;
  /** The files of a program besides Pulumi.yaml, by name; a YAML program is in Pulumi.yaml. */
  readonly files?: (program: Program) => Readonly<Record<string, string>>;
  /** The files besides Pulumi.yaml for code that `pulumi import` wrote; YAML code goes into Pulumi.yaml. */
  readonly imported?: (text: string) => Readonly<Record<string, string>>;
  /** Generates the language's SDK in the stack's folder. */
  readonly prepare?: (stack: EngineStack) => Promise<void>;
}

/** `describe` if this machine can run the language; otherwise the tests count as skipped. */
export const describeWith = ({ isHere }: Language): jest.Describe => (isHere ? describe : describe.skip);

/** Whether the Pulumi CLI and this executable are on PATH. */
export const isOnPath = (name: string): boolean =>
  engineVersion() !== undefined &&
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));

/** Where `prepare` puts generated SDKs, in the stack's folder. */
const sdks = "sdks";

async function generate(stack: EngineStack, language: string): Promise<void> {
  const schema = join(stack.folder, "schema.json");
  writeFileSync(schema, schemaText());
  const args = ["package", "gen-sdk", schema, "--language", language, "--out", join(stack.folder, sdks)];
  const { exitCode, output } = await stack.run(args);
  if (exitCode !== 0) throw new Error(output);
}

export const yaml: Language = {
  name: "YAML",
  host: "plugin",
  isHere: isOnPath("pulumi-language-yaml"),
  runtime: "yaml",
};

const findPythonSdk = ["import sys", `sys.path.insert(0, "${sdks}/python")`];

export const python: Language = {
  name: "Python",
  host: "plugin",
  isHere: isOnPath("pulumi-language-python") && spawnSync("python3", ["-c", "import pulumi"]).status === 0,
  runtime: "python",
  files: (program) => ({
    "__main__.py": [
      ...findPythonSdk,
      "import pulumi",
      "import pulumi_data_connectivity as sdk",
      ...statements(program, pythonSyntax),
      "",
    ].join("\n"),
  }),
  imported: (text) => ({ "__main__.py": [...findPythonSdk, text].join("\n") }),
  async prepare(stack) {
    await generate(stack, "python");
    // Installing with pip would write this file, which the SDK reads its own version from.
    const installed = join(stack.folder, sdks, `python/pulumi_data_connectivity-${version}.dist-info`);
    mkdirSync(installed);
    writeFileSync(join(installed, "METADATA"), `Name: pulumi_data_connectivity\nVersion: ${version}\n`);
  },
};

/** The name that the generator gives the Node package. */
const nodeSdk = "pulumi-data-connectivity-sdk";
/** Transpiles without type checks: they take seconds, and the schema's test does them. */
const javascriptFrom = (typescript: string): string => transpileModule(typescript, { compilerOptions }).outputText;
const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 };

export const javascript: Language = {
  name: "JavaScript",
  host: "plugin",
  isHere: isOnPath("pulumi-language-nodejs"),
  runtime: "nodejs",
  files: (program) => ({
    "index.js": [
      'const pulumi = require("@pulumi/pulumi");',
      `const sdk = require("${nodeSdk}");`,
      javascriptOf(program),
      "",
    ].join("\n"),
  }),
  imported: (text) => ({ "index.js": javascriptFrom(text) }),
  async prepare(stack) {
    await generate(stack, "nodejs");
    const [from, to] = [join(stack.folder, sdks, "nodejs"), join(stack.folder, "node_modules", nodeSdk)];
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from, { encoding: "utf8", recursive: true })) {
      if (!name.endsWith(".ts")) continue;
      const path = join(to, name.replace(/ts$/, "js"));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, javascriptFrom(readFileSync(join(from, name), "utf8")));
    }
    copyFileSync(join(from, "package.json"), join(to, "package.json"));
  },
};

/** How a language writes the constructs that all languages have. */
interface Syntax {
  readonly resource: (
    resource: Required<Omit<Declared, "type" | "get">> & Record<"variable" | "className", string>,
  ) => string;
  readonly boolean: (value: boolean) => string;
  readonly member: (name: string) => string;
  /** The function that marks a value as a secret. */
  readonly secret: string;
  /** The function that joins values into one string. */
  readonly concat: string;
}

const statements = (program: Program, syntax: Syntax): string[] =>
  Object.entries(program).map(([variable, { type, name = variable, properties = {}, options = {} }]) => {
    const className = type.startsWith("pulumi:") ? "Provider" : (type.split(":").pop() ?? "");
    return syntax.resource({ variable, name, className, properties, options });
  });

/** `import` is a keyword of Python. */
const snake = (name: string): string =>
  name === "import" ? "import_" : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const pythonSyntax: Syntax = {
  resource: ({ variable, name, className, properties, options }) => {
    const named = (members: JsonObject) =>
      Object.entries(members).map(([member, value]) => `${snake(member)}=${text(value, pythonSyntax)}`);
    const opts = `opts=pulumi.ResourceOptions(${named(options).join(", ")})`;
    return `${variable} = sdk.${className}(${[`"${name}"`, ...named(properties), opts].join(", ")})`;
  },
  boolean: (value) => (value ? "True" : "False"),
  member: snake,
  secret: "pulumi.Output.secret",
  concat: "pulumi.Output.concat",
};

const javascriptSyntax: Syntax = {
  resource: ({ variable, name, className, properties, options }) =>
    `const ${variable} = new sdk.${className}("${name}", ${text(properties, javascriptSyntax)}, ${text(options, javascriptSyntax)});`,
  boolean: String,
  member: (name) => name,
  secret: "pulumi.secret",
  concat: "pulumi.concat",
};

/** A program's resources as JavaScript, in which `sdk` can be any package. */
export const javascriptOf = (program: Program): string => statements(program, javascriptSyntax).join("\n");

function text(value: unknown, syntax: Syntax): string {
  const inner = (each: unknown) => text(each, syntax);
  if (typeof value === "string" && value.includes("${")) {
    const parts = value.split(/\$\{(.+?)\}/).map((part, n) => (n % 2 === 1 ? part : part && JSON.stringify(part)));
    const [only = "", ...more] = parts.filter((part) => part !== "");
    return more.length === 0 ? only : `${syntax.concat}(${[only, ...more].join(", ")})`;
  }
  if (typeof value === "boolean") return syntax.boolean(value);
  if (Array.isArray(value)) return `[${value.map(inner).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  if ("fn::secret" in value) return `${syntax.secret}(${inner(value["fn::secret"])})`;
  const members = Object.entries(value).map(([name, each]) => `"${syntax.member(name)}": ${inner(each)}`);
  return `{ ${members.join(", ")} }`;
}

/** The first lines of each program that uses the classes. */
const head = `
  const pulumi = require("@pulumi/pulumi");
  const sdk = { ...require("pulumi-data-connectivity"), Team: class extends pulumi.ComponentResource {
    constructor(name, _properties, options) { super("x:index:Team", name, {}, options); } } };
  const { CachingJob, ScheduledQueryJob, getDataSources } = sdk;
  const params = (more) => ({ sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f", sourceName: "Snowflake1",
    sourceSchema: "PUBLIC", sourceTable: "ORDERS", ...more });
  const job = (name, more, options) => new CachingJob(name,
    { intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2, params: params(), ...more }, options);
`;

export const classes: Language = {
  name: "JavaScript with the classes",
  host: "dynamic",
  isHere: isOnPath("pulumi-language-nodejs"),
  runtime: "nodejs",
  head,
  files: (program) => ({ "index.js": head + javascriptOf(program) }),
};
