import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { startCommand } from "../support/command.js";
import { compilerHost } from "../support/compile.js";
import { exampleFolder } from "../support/example.js";

/** The examples without the npm package use the plugin, with an SDK that the CLI generates. */
function usesPackage(name: string): boolean {
  const manifest = join(exampleFolder(name), "package.json");
  return existsSync(manifest) && readFileSync(manifest, "utf8").includes('"pulumi-data-connectivity"');
}

const names = readdirSync(exampleFolder(".")).filter(usesPackage);

describe("Each example's folder", () => {
  function compile(name: string): string[] {
    const folder = exampleFolder(name);
    const config = ts.readConfigFile(join(folder, "tsconfig.json"), (path) => ts.sys.readFile(path));
    const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config.config, ts.sys, folder);
    const host = compilerHost(options, (file) => file.startsWith(folder));
    const diagnostics = [...errors, ...ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options, host))];
    return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  }

  test.each(names)("(%s) compiles with its own tsconfig.json", (name) => {
    expect(compile(name)).toEqual([]);
  });

  test("(unit-tests) has a test that passes with npm test", async () => {
    const { CI, PATH, HOME } = process.env;
    const result = await startCommand("npm", ["test"], {
      cwd: exampleFolder("unit-tests"),
      env: { CI, PATH, HOME, NO_COLOR: "1" },
    }).finished;
    expect(result.output).toContain("Tests:       2 passed, 2 total");
    expect(result.exitCode).toBe(0);
  });
});
