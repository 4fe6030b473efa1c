import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";
import { namespace, settingsTable, type Setting } from "../../provider/src/config/index.js";
import { transitionMarkdown } from "../../provider/src/lifecycle/transitionTable.js";
import { codeBlocks, holdSection, root } from "../support/readme.js";

function renderSettings(): string {
  const rows = Object.values(settingsTable).map((setting: Setting) => {
    const key = setting.key === undefined ? "–" : `\`${setting.key}\``;
    const variable = setting.variable === undefined ? "–" : `\`${setting.variable}\``;
    return `| ${key} | ${variable} | ${setting.default} | ${setting.meaning} |`;
  });
  return [`| key \`${namespace}:\` | environment | default | meaning |`, "|---|---|---|---|", ...rows].join("\n");
}

/** Each example calls itself by the title of its own README. */
function renderExamples(): string {
  const rows = readdirSync(resolve(root, "examples")).map((name) => {
    const [title = ""] = readFileSync(resolve(root, "examples", name, "README.md"), "utf8").split("\n");
    return `| [\`${name}\`](examples/${name}) | ${title.replace(/^# /, "")} |`;
  });
  return ["| folder | what it shows |", "|---|---|", ...rows].join("\n");
}

/** What the compiler says of some files that exist in memory alone, at the root of the project. */
function compile(files: ReadonlyMap<string, string>): string[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ["node"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
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

describe("The README", () => {
  it("shows exactly the settings that are read", () => {
    holdSection("settings", renderSettings());
  });

  it("tells what happens when as the table of transitions does", () => {
    holdSection("transitions", transitionMarkdown());
  });

  it("lists every example", () => {
    holdSection("examples", renderExamples());
  });

  it("holds code that compiles", () => {
    const blocks = codeBlocks("ts");
    expect(blocks.length).toBeGreaterThan(2);
    expect(compile(new Map(blocks.map((code, index) => [resolve(root, `readme-${index}.ts`), code])))).toEqual([]);
  });
});
