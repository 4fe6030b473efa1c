import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { version } from "../../provider/src/version.js";
import { startCommand } from "../support/command.js";
import { compileFolder } from "../support/compile.js";
import { declaration } from "../support/declaration.js";
import { exampleFolder } from "../support/example.js";
import { refusedIn } from "../support/template.js";
import { testWith } from "../support/testWith.js";

const read = (...path: readonly string[]) => readFileSync(join(exampleFolder(""), ...path), "utf8");

/** The examples without the npm package use the plugin, with an SDK that the CLI generates. */
const usesPackage = (name: string) =>
  existsSync(join(exampleFolder(name), "package.json")) &&
  read(name, "package.json").includes('"pulumi-data-connectivity"');

const names = readdirSync(exampleFolder(".")).filter((name) => existsSync(join(exampleFolder(name), "README.md")));

const run = (name: string, tool: string, args: readonly string[], env = process.env) =>
  startCommand(tool, args, { cwd: exampleFolder(name), env }).finished;

describe("Each example's folder", () => {
  test.each(names.filter(usesPackage))("(%s) compiles with its own tsconfig.json", (name) => {
    expect(compileFolder(exampleFolder(name))).toEqual([]);
  });

  test("(unit-tests) has a test that passes with npm test", async () => {
    const { CI, PATH, HOME } = process.env;
    const { exitCode, output } = await run("unit-tests", "npm", ["test"], { CI, PATH, HOME, NO_COLOR: "1" });
    expect(output).toContain("Tests:       2 passed, 2 total");
    expect(exitCode).toBe(0);
  });
});

const project = z.object({
  packages: z.object({ "data-connectivity": z.object({ source: z.string(), version: z.string() }) }),
});

describe("An example with the plugin", () => {
  test.each(names.filter((name) => !usesPackage(name)))("(%s) names the plugin of this version", (name) => {
    const { packages } = project.parse(parse(read(name, "Pulumi.yaml")));
    expect(packages["data-connectivity"]).toEqual({ source: "data-connectivity", version });
  });

  test("(yaml) declares what the plugin accepts", () => {
    const program = read("yaml", "Pulumi.yaml").replaceAll("${sourceConnection}", declaration.params.sourceConnection);
    expect(refusedIn(program)).toEqual({ "daily-totals": false, orders: false });
  });

  testWith("python3", "--version")("(python) has files that Python can read", async () => {
    const files = ["__main__.py", "cached_tables.py", "test_program.py", "policy/__main__.py"];
    const parse = "import ast, sys; [ast.parse(open(name).read()) for name in sys.argv[1:]]";
    expect(await run("python", "python3", ["-c", parse, ...files])).toMatchObject({ exitCode: 0, output: "" });
  });

  testWith(
    "python3",
    "-c",
    "import pytest, pulumi_data_connectivity",
  )("(python) passes its own test", async () => {
    const { exitCode, output } = await run("python", "python3", ["-m", "pytest", "-p", "no:cacheprovider"]);
    expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
    expect(output).toContain("1 passed");
  });

  test("(python) has a pipeline that installs no plugin before its checksum is right", () => {
    const text = read("python", ".github/workflows/data-connectivity.yml");
    const order = ["sha256sum --check", "plugin install", "pulumi install", "pulumi preview --diff"];
    const places = order.map((command) => text.indexOf(command));
    expect(places).not.toContain(-1);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
  });

  testWith("gofmt", "-h")("(go) is a program in Go's own format", async () => {
    expect(await run("go", "gofmt", ["-l", "main.go"])).toMatchObject({ exitCode: 0, output: "" });
  });
});
