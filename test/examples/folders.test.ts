import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as ts from "typescript";
import { startCommand } from "../support/command.js";
import { exampleFolder } from "../support/example.js";

const names = readdirSync(exampleFolder("."));

describe("Each example's folder", () => {
  // One program's declarations serve the next: the SDK's alone take seconds.
  const parsed = new Map<string, ts.SourceFile | undefined>();

  function compile(name: string): string[] {
    const folder = exampleFolder(name);
    const config = ts.readConfigFile(join(folder, "tsconfig.json"), (path) => ts.sys.readFile(path));
    const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config.config, ts.sys, folder);
    const host = ts.createCompilerHost(options);
    const getSourceFile = host.getSourceFile.bind(host);
    host.getSourceFile = (file, ...rest) => {
      if (file.startsWith(folder)) return getSourceFile(file, ...rest);
      if (!parsed.has(file)) parsed.set(file, getSourceFile(file, ...rest));
      return parsed.get(file);
    };
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
