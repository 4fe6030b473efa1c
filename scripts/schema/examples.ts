import { packageName } from "./specs.js";

type Value = string | number | Members;
interface Members {
  readonly [member: string]: Value;
}
const isMembers = (value: Value): value is Members => typeof value === "object";

interface Example {
  readonly title: string;
  readonly args: Members;
}

const source: Members = {
  sourceConnection: "6f1c1c5e-0f6b-4f5b-9a51-1a2b3c4d5e6f",
  sourceName: "Snowflake",
  sourceSchema: "PUBLIC",
  sourceTable: "ORDERS",
};
const query: Members = {
  name: "daily totals",
  query: "SELECT CURRENT_DATE, SUM(AMOUNT) FROM ORDERS",
  destinationConnectionName: "Warehouse",
  destinationSchema: "REPORTS",
  destinationTable: "TOTALS",
};

const resources: Readonly<Record<string, Example & { readonly name: string; readonly params: Members }>> = {
  CachingJob: {
    title: "Copy a table every four hours",
    name: "orders",
    args: { intervalUnit: "Hour", intervalValue: 4, logVerbosity: 2 },
    params: source,
  },
  ScheduledQueryJob: {
    title: "Write yesterday's totals every day",
    name: "totals",
    args: { intervalUnit: "Day", intervalValue: 1, logVerbosity: 2 },
    params: query,
  },
};

const functions: Readonly<Record<string, Example>> = {
  getAccounts: { title: "List the accounts", args: {} },
  getConnection: { title: "Find a connection by its name", args: { name: "Snowflake1" } },
  getConnections: { title: "List the connections", args: {} },
  getDataSources: { title: "List the supported data sources", args: {} },
  getJob: { title: "Read a job by its id", args: { id: "6d9f0f0e-8f6c-4f6e-9d53-0f1f2f3f4f5f" } },
  getJobs: { title: "List the jobs", args: {} },
};

/** The example of a resource or a function, in each language, as the registry and the SDKs expect it in a description. */
export function exampleUsage(name: string): string {
  const [resource, lookUp] = [resources[name], functions[name]];
  const example = resource ?? lookUp;
  if (example === undefined) throw new Error(`${name} has no example.`);
  const programs = resource === undefined ? ofFunction(name, example.args) : ofResource(name, resource);
  const blocks = Object.entries(programs).map(([language, text]) => `\`\`\`${language}\n${text}\n\`\`\``);
  return [
    "{{% examples %}}\n## Example Usage\n{{% example %}}",
    `### ${example.title}\n`,
    blocks.join("\n"),
    "{{% /example %}}\n{{% /examples %}}",
  ].join("\n");
}

type Programs = Readonly<Record<"typescript" | "python" | "go" | "java" | "yaml", string>>;

function ofResource(kind: string, { name, args, params }: (typeof resources)[string]): Programs {
  // Only the params of a caching job have a type in each language. Those of a query are sent as they are.
  const isTyped = kind === "CachingJob";
  const variable = name;
  const go = {
    ...mapped(pascal, args, goValue),
    Params: isTyped ? goObject("CachingJobParamsArgs", params) : goMap(params),
  };
  const java = {
    ...mapped(String, args, javaValue),
    params: isTyped ? javaBuilder("CachingJobParamsArgs", mapped(String, params, javaValue)) : javaMap(params),
  };
  return {
    typescript: [
      typescriptImport,
      "",
      `const ${variable} = new dataConnectivity.${kind}("${name}", ${literal({ ...args, params }, "  ", (key) => key)});`,
      `export const jobId = ${variable}.jobId;`,
    ].join("\n"),
    python: [
      pythonImports,
      "",
      `${variable} = data_connectivity.${kind}("${name}",`,
      `${keywords(args)},`,
      `    params=${literal(params, "    ", (key) => JSON.stringify(isTyped ? snake(key) : key), "    ")})`,
      `pulumi.export("jobId", ${variable}.job_id)`,
    ].join("\n"),
    go: goProgram([
      `${variable}, err := dataconnectivity.New${kind}(ctx, "${name}", &${goStruct(`${kind}Args`, go)})`,
      "if err != nil {",
      "\treturn err",
      "}",
      `ctx.Export("jobId", ${variable}.JobId)`,
    ]),
    java: javaProgram(
      [
        `var ${variable} = new ${kind}("${name}", ${javaBuilder(`${kind}Args`, java)});`,
        `ctx.export("jobId", ${variable}.jobId());`,
      ],
      [kind, `${kind}Args`, "enums.IntervalUnit", ...(isTyped ? ["inputs.CachingJobParamsArgs"] : [])],
    ),
    yaml: yamlText({
      resources: { [name]: { type: `${packageName}:${kind}`, properties: { ...args, params } } },
      outputs: { jobId: `\${${name}.jobId}` },
    }),
  };
}

function ofFunction(name: string, args: Members): Programs {
  const title = pascal(name);
  return {
    typescript: [
      typescriptImport,
      "",
      `export const found = dataConnectivity.${name}Output(${Object.keys(args).length > 0 ? literal(args, "", (key) => key) : ""});`,
    ].join("\n"),
    python: [
      pythonImports,
      "",
      `pulumi.export("found", data_connectivity.${snake(name)}_output(${pythonArguments(args)}))`,
    ].join("\n"),
    go: goProgram([
      `found := dataconnectivity.${title}Output(ctx, ${goStruct(`${title}OutputArgs`, mapped(pascal, args, goValue))})`,
      'ctx.Export("found", found)',
    ]),
    java: javaProgram(
      [
        `var found = DataconnectivityFunctions.${name}(${javaBuilder(`${title}Args`, mapped(String, args, javaValue))});`,
        'ctx.export("found", found);',
      ],
      ["DataconnectivityFunctions", `inputs.${title}Args`],
    ),
    yaml: yamlText({
      outputs: { found: { "fn::invoke": { function: `${packageName}:${name}`, arguments: args } } },
    }),
  };
}

const pascal = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const mapped = (rename: (name: string) => string, members: Members, write: (value: Value, member: string) => string) =>
  Object.fromEntries(Object.entries(members).map(([member, value]) => [rename(member), write(value, member)]));

const typescriptImport = 'import * as dataConnectivity from "pulumi-data-connectivity-sdk";';
const pythonImports = "import pulumi\nimport pulumi_data_connectivity as data_connectivity";

/** An object as TypeScript or Python has it, a line for each member. */
function literal(members: Members, step: string, key: (name: string) => string, indent = ""): string {
  if (step === "")
    return `{ ${Object.entries(members)
      .map(([name, value]) => `${key(name)}: ${JSON.stringify(value)}`)
      .join(", ")} }`;
  const lines = Object.entries(members).map(([name, value]) => {
    const text = isMembers(value) ? literal(value, step, key, indent + step) : JSON.stringify(value);
    return `${indent}${step}${key(name)}: ${text},`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

const pythonArguments = (args: Members): string =>
  Object.entries(args)
    .map(([name, value]) => `${snake(name)}=${JSON.stringify(value)}`)
    .join(", ");

const keywords = (args: Members): string => `    ${pythonArguments(args).replaceAll(", ", ",\n    ")}`;

const goValue = (value: Value, member: string): string => {
  if (member === "intervalUnit" && typeof value === "string") return `dataconnectivity.IntervalUnit${value}`;
  return typeof value === "number" ? `pulumi.Int(${value})` : `pulumi.String(${JSON.stringify(value)})`;
};

function goStruct(type: string, members: Readonly<Record<string, string>>): string {
  const lines = Object.entries(members).map(([name, text]) => `\t${name}: ${text.replaceAll("\n", "\n\t")},`);
  return `dataconnectivity.${type}{${lines.length > 0 ? `\n${lines.join("\n")}\n` : ""}}`;
}

const goObject = (type: string, members: Members): string => goStruct(type, mapped(pascal, members, goValue));

const goMap = (members: Members): string => {
  const lines = Object.entries(members).map(([name, value]) => `\t${JSON.stringify(name)}: ${goValue(value, name)},`);
  return `pulumi.Map{\n${lines.join("\n")}\n}`;
};

const goProgram = (lines: readonly string[]): string =>
  [
    "package main",
    "",
    "import (",
    '\t"github.com/pulumi/pulumi/sdk/v3/go/pulumi"',
    '\t"pulumi-data-connectivity/sdk/go/dataconnectivity"',
    ")",
    "",
    "func main() {",
    "\tpulumi.Run(func(ctx *pulumi.Context) error {",
    ...lines.map((line) => `\t\t${line.replaceAll("\n", "\n\t\t")}`),
    "\t\treturn nil",
    "\t})",
    "}",
  ].join("\n");

const javaValue = (value: Value, member: string): string =>
  member === "intervalUnit" && typeof value === "string" ? `IntervalUnit.${value}` : JSON.stringify(value);

const javaMap = (members: Members): string =>
  `Map.of(\n${Object.entries(members)
    .map(([name, value]) => `    ${JSON.stringify(name)}, ${JSON.stringify(value)}`)
    .join(",\n")})`;

const javaBuilder = (type: string, members: Readonly<Record<string, string>>): string =>
  [
    `${type}.builder()`,
    ...Object.entries(members).map(([name, text]) => `.${name}(${text.replaceAll("\n", "\n    ")})`),
    ".build()",
  ].join("\n    ");

function javaProgram(lines: readonly string[], names: readonly string[]): string {
  const body = lines.map((line) => `            ${line.replaceAll("\n", "\n            ")}`);
  const usesMap = lines.some((line) => line.includes("Map.of("));
  return [
    "package jobs;",
    "",
    "import com.pulumi.Pulumi;",
    ...names.map((name) => `import com.pulumi.dataconnectivity.${name};`),
    ...(usesMap ? ["import java.util.Map;"] : []),
    "",
    "public class App {",
    "    public static void main(String[] args) {",
    "        Pulumi.run(ctx -> {",
    ...body,
    "        });",
    "    }",
    "}",
  ].join("\n");
}

function yamlText(members: Members, indent = ""): string {
  return Object.entries(members)
    .map(([name, value]) => {
      if (!isMembers(value)) return `${indent}${name}: ${value}`;
      return Object.keys(value).length === 0
        ? `${indent}${name}: {}`
        : `${indent}${name}:\n${yamlText(value, `${indent}  `)}`;
    })
    .join("\n");
}
