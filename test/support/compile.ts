import ts from "typescript";
import * as z from "zod";
import { pageAt, root } from "./pages.js";

/** The options of the tsconfig.json that README.md tells its readers to use. */
export function optionsOfReadme(): ts.CompilerOptions {
  const [, text] = /`(\{ "compilerOptions": .*\})`/.exec(pageAt("README.md").text) ?? [];
  const { compilerOptions } = z
    .object({ compilerOptions: z.record(z.string(), z.json()) })
    .parse(JSON.parse(text ?? ""));
  const { options, errors } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  expect(errors).toEqual([]);
  return { ...options, noEmit: true, skipLibCheck: true };
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
