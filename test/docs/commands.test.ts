import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../support/command.js";
import { commandsOf, npmScripts, pages, root, scripts } from "../support/pages.js";
import { pasted, runsHere } from "../support/pastedPages.js";

const named = (pattern: RegExp): string[] =>
  pages.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, found = ""]) => found));

/** Whether other tests run a page's commands: those of the examples, and test/engine/{otherLanguages,upgrade,runbook}.test.ts. */
const isRunElsewhere = (path: string) =>
  path.startsWith("examples/") || ["docs/other-languages.md", "docs/testing.md", "docs/runbook.md"].includes(path);

describe("The commands of all pages", () => {
  test("are pasted below, where they are not npm's own", () => {
    const others = pages.filter(({ path }) => !isRunElsewhere(path) && !pasted.some(([page]) => page === path));
    expect(others.flatMap(commandsOf).filter(runsHere)).toEqual([]);
  });

  // With --yes alone, `pulumi refresh` still asks in a terminal. `stack export | stack import` would silently drop the
  // pending operations of other packages.
  test("clear pending operations by one command, which asks nothing", () => {
    const clearing = named(/(pulumi refresh[^`\n]*--clear-pending-creates[^`\n]*)/g);
    expect(clearing.length).toBeGreaterThan(1);
    expect(new Set(clearing)).toEqual(new Set(["pulumi refresh --clear-pending-creates --yes --non-interactive"]));
    expect(named(/(stack export *\| *pulumi stack import)/g)).toEqual([]);
  });

  test("assume no name of the clone's folder", () => {
    expect(pages.flatMap(commandsOf).filter((line) => line.includes("../pulumi-data-connectivity"))).toEqual([]);
  });

  test("name npm scripts that exist", () => {
    const runs = [...named(/npm run (?:--silent )?([\w:]+)/g), ...named(/npm (start|test)\b/g)];
    expect(runs.length).toBeGreaterThan(8);
    expect(runs.filter((script) => !npmScripts.includes(script))).toEqual([]);
  });

  test("name tests that exist", () => {
    const tests = named(/npx jest (test\/[\w/]+)/g);
    expect(tests.length).toBeGreaterThan(2);
    const exists = (path: string) => [path, `${path}.test.ts`].some((name) => existsSync(join(root, name)));
    expect(tests.filter((path) => !exists(path))).toEqual([]);
  });
});

describe("The npm scripts that CONTRIBUTING.md names", () => {
  const folder = mkdtempSync(join(tmpdir(), "node-alone-"));
  symlinkSync(process.execPath, join(folder, "node"));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  /** Runs a script as npm would, but without building first: other tests use the existing build. */
  const run = (script: string, args: readonly string[], path: string | undefined) => {
    const command = (scripts[script] ?? "").replace("npm run build && ", "");
    const env = { ...process.env, PATH: `${join(root, "node_modules/.bin")}:${path}` };
    return startCommand("/bin/sh", ["-c", `${command} "$@"`, "sh", ...args], { cwd: root, env }).finished;
  };
  const here = process.env["PATH"];

  test.each([
    ["test:compat", ["--here"], here, 0, /\n1 passed, 0 failed, 0 skipped\n$/],
    ["bench", ["--help"], folder, 0, /^npm run bench -- \[options\]/],
    ["bench", ["--rounds", "0"], folder, 1, /^The bench needs a pulumi CLI on the PATH, and there is none\.\n$/],
    ["test:engine", [], folder, 1, /^npm run test:engine needs a pulumi CLI on the PATH, and there is none\.\n$/],
    ["record", [], folder, 1, /^There is no pulumi CLI on PATH: nothing can be recorded\.\n$/],
  ] as const)("run (%s %j)", async (script, args, path, exitCode, output) => {
    const finished = await run(script, args, path);
    expect(finished.output).toMatch(output);
    expect(finished.exitCode).toBe(exitCode);
  });
});
