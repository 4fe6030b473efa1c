import ts from "typescript";
import * as z from "zod";
import { codeBlocks, pageAt, root } from "./pages.js";

/** The options of the tsconfig.json that README.md tells its readers to use. */
export function optionsOfReadme(): ts.CompilerOptions {
  const [text] = codeBlocks(pageAt("README.md"), "json");
  const { compilerOptions } = z
    .object({ compilerOptions: z.record(z.string(), z.json()) })
    .parse(JSON.parse(text ?? ""));
  const { options, errors } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  expect(errors).toEqual([]);
  return { ...options, noEmit: true, skipLibCheck: true };
}

/** What the compiler says of some files that exist in memory alone, at the root of the project. */
export function compile(files: ReadonlyMap<string, string>, options: ts.CompilerOptions): string[] {
  const host = ts.createCompilerHost(options);
  const real = { ...host };
  host.fileExists = (path) => files.has(path) || real.fileExists(path);
  host.readFile = (path) => files.get(path) ?? real.readFile(path);
  host.getSourceFile = (path, ...more) => {
    const text = files.get(path);
    return text === undefined
      ? real.getSourceFile(path, ...more)
      : ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
  };
  host.getCurrentDirectory = () => root;
  return ts
    .getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host))
    .map(({ file, messageText }) => `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
}
