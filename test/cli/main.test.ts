import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../../provider/src/cli/commands.js";
import manifest from "../../provider/package.json";
import { JOB, settingsFor, start, stopAll } from "../support/emulated.js";
import { holdSection } from "../support/pages.js";
import { allOperations, configuredProject } from "./cliProcess.js";
import { exported, originAt, resource } from "./exportedState.js";
import { runHere } from "./here.js";

afterEach(stopAll);

test.each([["--help"], ["-h"], ["help"]])("%s prints the usage on standard output and succeeds", async (word) => {
  const { exitCode, stdout } = await runHere([word]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Usage: pulumi-data-connectivity <command>/);
  for (const [name] of await allCommands()) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w`, "m"));
});

const general = "For help: pulumi-data-connectivity --help\n";

test.each([
  ["dokter", `There is no command "dokter". Did you mean doctor? ${general}`],
  ["destroy", `There is no command "destroy". ${general}`],
])("an unknown command ends with exit code 2 and one line: %s", async (name, line) => {
  expect(await runHere([name])).toEqual({ exitCode: 2, stdout: "", stderr: line });
});

test("no command at all ends with the usage and exit code 2", async () => {
  const { exitCode, stderr } = await runHere([]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^Usage:/);
});

test("each command has a usage of its own, which names all its options and fits into 100 columns", async () => {
  for (const [name, { options, example }] of await allCommands()) {
    const { exitCode, stdout } = await runHere([name, "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Usage: .*pulumi-data-connectivity /);
    for (const option of Object.keys(options)) expect(stdout).toMatch(new RegExp(`^  --${option}\\b`, "m"));
    expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
    for (const line of example) expect(stdout).toContain(line);
    expect(stdout).toMatch(/Exit code 0[^]*\b1 [^]*; 2 if\s+the\s+command\s+was\s+mistyped\./);
    expect((await runHere(["help", name])).stdout).toBe(stdout);
  }
});

test.each([
  ["doctor", "--stak", "Unknown option '--stak'. Did you mean --stack?"],
  ["jobs", "--as-programm=x", "Unknown option '--as-programm'. Did you mean --as-program?"],
  ["jobs", "--colour", "Unknown option '--colour'."],
  ["doctor", "dev", "Unexpected argument 'dev'. This command does not take positional arguments."],
  ["emulator", "--port", "Option '--port <value>' argument missing."],
])("%s %s is a usage error of one line", async (name, option, message) => {
  const stderr = `${message} For help: pulumi-data-connectivity ${name} --help\n`;
  expect(await runHere([name, option])).toEqual({ exitCode: 2, stdout: "", stderr });
});

test.each([
  [true, true, {}],
  [true, true, { TERM: "xterm", NO_COLOR: "" }],
  [false, true, { TERM: "dumb" }],
  [false, true, { NO_COLOR: "1" }],
  [false, false, { TERM: "xterm", CLICOLOR_FORCE: "1" }],
])("colours: %s where a terminal is %s and the environment is %j", async (coloured, isTTY, env) => {
  const { stdout } = await runHere(["jobs", "-"], {
    isTTY,
    env,
    stdin: exported([resource("orders")]),
  });
  expect(stdout.includes("\u001b")).toBe(coloured);
});

test("no command passes on the colours that the Pulumi CLI is told to use", async () => {
  const project = configuredProject({});
  project.write(
    "bin/pulumi",
    '#!/bin/sh\ncase "$*" in *"--color never"*) ;; *) printf "\\033[31m" >&2;; esac; exit 1\n',
  );
  const { exitCode, stderr } = await project.run(["doctor"], { PULUMI_OPTION_COLOR: "always" });
  expect(exitCode).toBe(1);
  expect(stderr).not.toContain("\u001b");
});

test("the package offers it under its own name", () => {
  expect(manifest.bin).toEqual({ "pulumi-data-connectivity": "bin/pulumi-data-connectivity.js" });
});

describe("What is said of a command is so:", () => {
  test.each(["", "--at-service"])("its requests (form: %s)", async (form) => {
    for (const [name, { forms, operand }] of await allCommands()) {
      const of = forms[form];
      if (of?.json === undefined) continue;
      const service = await start();
      service.addJob(JOB, { id: "job-1" });
      const project = configuredProject(allOperations);
      project.write("stack.json", exported([resource("orders", { origin: originAt(service.baseUrl) })]));
      const values: Record<string, readonly string[]> = { FILE: ["stack.json"], JOB_ID: ["job-1"] };
      // The options without which one of its requests is not sent.
      const options = of.requests.flatMap((request) => /with `(--[\w-]+)`/.exec(request)?.[1] ?? []);
      const args = [name, ...(form === "" ? [] : [form]), ...options, ...(values[operand?.name ?? ""] ?? [])];
      expect(await project.run([...args, "--json"], settingsFor(service))).toMatchObject({ exitCode: 0, stderr: "" });
      const routes = service.requests.map(({ method, path }) => `${method} ${path.replace("job-1", "{jobId}")}`);
      const said = of.requests.filter((request) => !request.includes(" if "));
      expect(new Set(routes)).toEqual(new Set(said.map((request) => request.replace(/^(\S+ \S+).*$/, "$1"))));
    }
  });

  test("in docs/monitor.md too", async () => {
    const commands = await allCommands();
    const forms = commands.flatMap(([name, command]) =>
      Object.entries(command.forms).map(([form, of]) => ({
        call: `\`${[name, form].join(" ").trim()}\``,
        command,
        of,
      })),
    );
    holdSection(
      "docs/monitor.md",
      "commands",
      table(
        ["command", "answers", "requests for each account", "exit code 1"],
        forms.map(({ call, command, of }) => [
          ...[
            call,
            of.answers,
            of.requests.map((request) => request.replace(/^\S+ \S+/, "`$&`")).join(", ") || "none",
            command.fails.replace(/--[\w-]+/g, "`$&`"),
          ],
        ]),
      ),
    );
  });
});

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(header), `|${"---|".repeat(header.length)}`, ...rows.map(line)].join("\n");

(existsSync("/dev/full") ? test : test.skip).each([["--help"], ["doctor", "--json"], ["emulator", "--port", "0"]])(
  "Standard output that is full ends %s %s with one line and exit code 1",
  (...args) => {
    const main = join(__dirname, "../../provider/bin/pulumi-data-connectivity.js");
    const full = openSync("/dev/full", "w");
    // A CLI that is not logged in would add a line.
    const env = { ...process.env, PATH: "/usr/bin:/bin" };
    const { status, stderr } = spawnSync(process.execPath, [main, ...args], { env, stdio: ["ignore", full, "pipe"] });
    closeSync(full);
    expect([status, String(stderr)]).toEqual([1, "Standard output cannot be written (ENOSPC).\n"]);
  },
);
