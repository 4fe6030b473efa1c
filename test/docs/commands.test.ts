import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCommand } from "../support/command.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { commandsOf, npmScripts, pageAt, pages, readmeProgram, root, scripts } from "../support/pages.js";
import { startStack } from "../support/startStack.js";

const named = (pattern: RegExp): string[] =>
  pages.flatMap(({ text }) => [...text.matchAll(pattern)].map(([, found = ""]) => found));

const pasted: readonly (readonly [path: string, leaves: string, jobs: number])[] = [
  ["README.md", "the first job", 1],
  ["docs/configuration.md", "the one job, changed by no command", 1],
  ["docs/tokens.md", "the one job, changed by no command", 1],
  ["docs/lifecycle.md", "a second job, which --replace made", 2],
  ["docs/all-operations.md", "the one job, changed by no command", 1],
  ["docs/adopt.md", "the one job, changed by no command", 1],
];

/** Whether other tests run a page's commands: those of the examples, and test/engine/{otherLanguages,upgrade}.test.ts. */
const isRunElsewhere = (path: string) =>
  path.startsWith("examples/") || ["docs/other-languages.md", "docs/upgrade.md"].includes(path);

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
    ["record", [], folder, 1, /^There is no pulumi CLI on PATH: nothing can be recorded\.\n$/],
  ] as const)("run (%s %j)", async (script, args, path, exitCode, output) => {
    const finished = await run(script, args, path);
    expect(finished.output).toMatch(output);
    expect(finished.exitCode).toBe(exitCode);
  });

  describeWithEngine("with a CLI", () => {
    test("run (bench --rounds 0)", async () => {
      expect(await run("bench", ["--rounds", "0"], here)).toMatchObject({ exitCode: 0 });
    });
  });
});

const urn = "urn:pulumi:test::acceptance::pulumi-nodejs:dynamic/data-connectivity:CachingJob::orders";

/**
 * Whether a test pastes the line: not npm's own commands (the gate runs them), those that make a project of a template
 * (test/engine/templates.test.ts) or the emulator (it runs until Ctrl-C).
 */
const runsHere = (line: string) =>
  !/^(npm|pulumi new|cd) /.test(line) && line !== "npx pulumi-data-connectivity emulator";

describeWithEngine("The commands of a page, pasted one after another", () => {
  afterEach(stopAll);

  test.each(pasted)("(%s) all work, and leave %s", async (path, _leaves, count) => {
    const service = await start();
    const stack = await startStack({ program: readmeProgram(), env: settingsFor(service) });
    await stack.up(["--skip-preview"]);
    for (const line of commandsOf(pageAt(path)).filter(runsHere)) {
      const command = line.replace("<urn>", urn);
      // The token is typed at a prompt.
      const pasted = await stack.shell(line.includes("--secret") ? `echo typed | ${command}` : command);
      expect({ line, ...pasted }).toMatchObject({ line, exitCode: 0 });
    }
    expect(service.jobs).toHaveLength(count);
  });
});
