import { join } from "node:path";
import ts from "typescript";
import { root } from "./pages.js";

/** The options of the template's tsconfig.json, which users' programs have. */
export function optionsOfTemplate(): ts.CompilerOptions {
  const { options, errors } = optionsIn(join(root, "templates/typescript"));
  expect(errors).toEqual([]);
  return options;
}

const optionsIn = (folder: string) => {
  const read = ts.readConfigFile(join(folder, "tsconfig.json"), (path) => ts.sys.readFile(path));
  return ts.parseJsonConfigFileContent(read.config, ts.sys, folder);
};

/** The compiler's messages for the project in a folder, with the options of its tsconfig.json. */
export function compileFolder(folder: string): string[] {
  const { options, fileNames, errors } = optionsIn(folder);
  const host = compilerHost(options, (file) => file.startsWith(folder));
  const diagnostics = [...errors, ...ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options, host))];
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

const parsed = new Map<string, ts.SourceFile | undefined>();

/**
 * Parses each file only once for all programs of a test file, except a program's own files: the SDK's declarations
 * alone take seconds.
 */
export function compilerHost(options: ts.CompilerOptions, isOwn: (path: string) => boolean): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (path, ...more) => {
    if (isOwn(path)) return getSourceFile(path, ...more);
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, ...more));
    return parsed.get(path);
  };
  return host;
}

/** The compiler's messages for files that exist only in memory, at the project's root. */
export function compile(files: ReadonlyMap<string, string>, options: ts.CompilerOptions): string[] {
  const host = compilerHost(options, (path) => files.has(path));
  const real = { ...host };
  host.fileExists = (path) => files.has(path) || real.fileExists(path);
  host.readFile = (path) => files.get(path) ?? real.readFile(path);
  host.getCurrentDirectory = () => root;
  return ts
    .getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host))
    .map(({ file, messageText }) => `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
}
