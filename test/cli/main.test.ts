import { showsColours } from "../../provider/src/cli/text.js";
import manifest from "../../provider/package.json";
import { settingsFor, start, stopAll } from "../support/emulated.js";
import { CliFolder, configuredProject } from "./cliProcess.js";

const folder = new CliFolder();

test.each([["--help"], ["-h"], ["help"]])("%s prints the usage on standard output and succeeds", async (word) => {
  const { exitCode, stdout } = await folder.run([word]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Usage: pulumi-data-connectivity <command>/);
});

const general = "For help: pulumi-data-connectivity --help\n";

test.each([
  ["dokter", `There is no command "dokter". Did you mean doctor? ${general}`],
  ["destroy", `There is no command "destroy". ${general}`],
])("an unknown command ends with exit code 2 and one line: %s", async (name, line) => {
  expect(await folder.run([name])).toMatchObject({ exitCode: 2, stdout: "", stderr: line });
});

test("no command at all ends with the usage and exit code 2", async () => {
  const { exitCode, stderr } = await folder.run([]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^Usage:/);
});

test.each(["doctor", "jobs", "connections", "token", "emulator"])(
  "%s has a usage of its own, shown for --help and for help",
  async (name) => {
    const [asked, named] = await Promise.all([folder.run([name, "--help"]), folder.run(["help", name])]);
    expect(asked.exitCode).toBe(0);
    expect(asked.stdout).toContain(`pulumi-data-connectivity ${name}`);
    expect(asked.stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
    expect(asked.stdout).toMatch(/^Example: ?\n? *.*pulumi-data-connectivity |^Example:\n/m);
    expect(asked.stdout).toMatch(/Exit code 0[^]*\b1 [^]*; 2 if\s+the\s+command\s+was\s+mistyped\./);
    expect(asked.stdout).not.toContain("\u001b");
    expect(named.stdout).toBe(asked.stdout);
  },
);

test.each([
  ["doctor", "--stak", "Unknown option '--stak'. Did you mean --stack?"],
  ["jobs", "--as-programm=x", "Unknown option '--as-programm'. Did you mean --as-program?"],
  ["jobs", "--colour", "Unknown option '--colour'."],
  ["doctor", "dev", "Unexpected argument 'dev'. This command does not take positional arguments."],
  ["emulator", "--port", "Option '--port <value>' argument missing."],
])("%s %s is a usage error of one line", async (name, option, message) => {
  const stderr = `${message} For help: pulumi-data-connectivity ${name} --help\n`;
  expect(await folder.run([name, option])).toMatchObject({ exitCode: 2, stdout: "", stderr });
});

test.each([
  [true, true, {}],
  [true, true, { TERM: "xterm", NO_COLOR: "" }],
  [false, true, { TERM: "dumb" }],
  [false, true, { NO_COLOR: "1" }],
  [false, false, { TERM: "xterm" }],
])("colours: %s where a terminal is %s and the environment is %j", (coloured, isTTY, env) => {
  expect(showsColours({ isTTY }, env)).toBe(coloured);
});

test("no command colours what it prints where there is no terminal, whatever the Pulumi CLI is told", async () => {
  const service = await start();
  const project = configuredProject({ "data-connectivity:jobOperations": "all" });
  const env = { ...settingsFor(service), PULUMI_OPTION_COLOR: "always", CLICOLOR_FORCE: "1" };
  const printed = [];
  for (const args of [["doctor"], ["jobs", "stack.json"], ["jobs", "--at-service"], ["connections"], ["token"]])
    printed.push(await project.run(args, env));
  project.write(
    "bin/pulumi",
    '#!/bin/sh\ncase "$*" in *"--color never"*) ;; *) printf "\\033[31m" >&2;; esac; exit 1\n',
  );
  printed.push(await project.run(["doctor"], env));
  await stopAll();
  expect(printed.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 2, 1]);
  for (const { stdout, stderr } of printed) expect(stdout + stderr).not.toContain("\u001b");
});

test("the package offers it under its own name", () => {
  expect(manifest.bin).toEqual({ "pulumi-data-connectivity": "./bin/pulumi-data-connectivity.js" });
});
