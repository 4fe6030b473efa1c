import { version } from "../../provider/src/version.js";
import manifest from "../../provider/package.json";
import { CliFolder } from "./cliProcess.js";

const folder = new CliFolder();
afterAll(() => {
  folder.dispose();
});

test.each([["--help"], ["-h"], ["help"]])("%s prints the usage on standard output and succeeds", async (word) => {
  const { exitCode, stdout } = await folder.run([word]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Usage: pulumi-data-connectivity <command>/);
});

test("--version prints the version of the package", async () => {
  expect(await folder.run(["--version"])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
});

test("an unknown command ends with its name, the usage and exit code 2", async () => {
  const { exitCode, stdout, stderr } = await folder.run(["dokter"]);
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toMatch(/^There is no command "dokter"\.\n\nUsage:/);
});

test("no command at all ends with the usage and exit code 2", async () => {
  const { exitCode, stderr } = await folder.run([]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^Usage:/);
});

test.each(["doctor", "jobs", "connections", "emulator"])(
  "%s has a usage of its own, shown for --help and for help",
  async (name) => {
    const [asked, named] = await Promise.all([folder.run([name, "--help"]), folder.run(["help", name])]);
    expect(asked.exitCode).toBe(0);
    expect(asked.stdout).toContain(`pulumi-data-connectivity ${name}`);
    expect(named.stdout).toBe(asked.stdout);
  },
);

test.each([
  ["doctor", "--stak", "Unknown option '--stak'"],
  ["doctor", "dev", "Unexpected argument 'dev'"],
  ["emulator", "--port", "Option '--port <value>' argument missing"],
])("%s %s is a usage error that names what is wrong", async (name, option, message) => {
  const { exitCode, stderr } = await folder.run([name, option]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).toContain(`Usage: pulumi-data-connectivity ${name}`);
});

test("the package offers it under its own name", () => {
  expect(manifest.bin).toEqual({ "pulumi-data-connectivity": "./bin/pulumi-data-connectivity.js" });
});
