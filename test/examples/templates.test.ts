import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { Settings } from "../../provider/src/config/index.js";
import { version } from "../../provider/src/version.js";
import { startCommand } from "../support/command.js";
import { compileFolder } from "../support/compile.js";
import { declaration } from "../support/declaration.js";
import { runExample } from "../support/example.js";
import { root } from "../support/pages.js";
import { makeProject, refusedIn, templates } from "../support/template.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { testWith } from "../support/testWith.js";

const run = (cwd: string, tool: string, ...args: readonly string[]) =>
  startCommand(tool, args, { cwd, env: process.env }).finished;

const asked = z.strictObject({ description: z.string(), default: z.string() });
const manifest = z.object({
  name: z.literal("my-jobs"),
  description: z.literal("Jobs of a test"),
  packages: z.object({ "data-connectivity": z.object({ source: z.string(), version: z.string() }) }).optional(),
  config: z.object({ connection: z.object({ default: z.string() }) }),
  template: z.strictObject({ description: z.string(), config: z.record(z.string(), asked) }),
});

describe("The project that pulumi new makes of a template", () => {
  const folder = temporaryFolder();
  const made = (name: string) => {
    const project = join(folder(), "my-jobs");
    makeProject(name, project, "my-jobs");
    symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
    const read = (file: string) => readFileSync(join(project, file), "utf8");
    return { project, read, pulumi: manifest.parse(parse(read("Pulumi.yaml"))) };
  };

  test("is there in each language", () => {
    expect(templates).toEqual(["go", "java", "python", "typescript", "yaml"]);
  });

  test.each(templates)(
    "(%s) asks for the address, the mode and the connection, each with a default that works",
    (name) => {
      const { template, config } = made(name).pulumi;
      expect(Object.keys(template.config)).toEqual([
        "data-connectivity:baseUrl",
        "data-connectivity:jobOperations",
        "connection",
      ]);
      expect(config.connection.default).toBe(template.config["connection"]?.default);
      const get = (key: string) => template.config[key]?.default;
      const settings = new Settings({ get }, { DATA_CONNECTIVITY_TOKEN: "test" });
      expect(settings.account().baseUrl).toBe("http://127.0.0.1:8080");
      expect(settings.mode().name).toBe("create");
    },
  );

  test.each(templates.filter((name) => name !== "typescript"))("(%s) names the plugin of this version", (name) => {
    expect(made(name).pulumi.packages?.["data-connectivity"]).toEqual({ source: "data-connectivity", version });
  });

  test("(typescript) names the package of this version, compiles with its own tsconfig.json, and makes its job", async () => {
    const { project, read } = made("typescript");
    expect(JSON.parse(read("package.json"))).toMatchObject({
      name: "my-jobs",
      dependencies: { "pulumi-data-connectivity": version },
    });
    expect(compileFolder(project)).toEqual([]);
    const { jobs, outputs } = await runExample("my-jobs", { "my-jobs:connection": "Snowflake1" }, project);
    expect(jobs.map(({ name, params }) => [name, params["sourceConnection"]])).toEqual([
      ["ORDERS", declaration.params.sourceConnection],
    ]);
    expect(outputs).toEqual({ ordersJobId: jobs[0]?.id });
  });

  test("(yaml) declares what the plugin accepts", () => {
    const program = made("yaml").read("Pulumi.yaml");
    expect(refusedIn(program.replace("${connection-id}", declaration.params.sourceConnection))).toEqual({
      orders: false,
    });
  });

  testWith("python3", "--version")("(python) has a program that Python can read", async () => {
    const parse = "import ast; ast.parse(open('__main__.py').read())";
    expect(await run(made("python").project, "python3", "-c", parse)).toMatchObject({ exitCode: 0, output: "" });
  });

  testWith("gofmt", "-h")("(go) has a program in Go's own format", async () => {
    expect(await run(made("go").project, "gofmt", "-l", "main.go")).toMatchObject({ exitCode: 0, output: "" });
  });
});
