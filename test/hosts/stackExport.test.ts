import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stackIn } from "../../provider/src/hosts/stackExport.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

const built = resolve(__dirname, "../../provider/dist/hosts/stackExport.js");
const temporary = temporaryFolder();
const onLinux = process.platform === "linux" ? test : test.skip;

/** A project whose program is in `program`, and a folder outside it. */
function folders() {
  const top = realpathSync(temporary());
  const [project, program, other] = [join(top, "project"), join(top, "project/program"), join(top, "other")];
  for (const folder of [program, other]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(project, "Pulumi.yaml"), "name: test\nruntime: nodejs\nmain: program\n");
  return { top, project, program, other };
}

/** A CLI that starts what `ASK` asks. */
function cliIn(folder: string): string {
  // The kernel names a process after its script. Between the CLI and a provider stands another shell.
  const cli = join(folder, "pulumi");
  const start = `sh -c 'cd "$PROGRAM" && "${process.execPath}" -e "$ASK"; exit $?'; exit $?`;
  writeFileSync(cli, `#!/bin/sh\n${start}\n`, { mode: 0o755 });
  return cli;
}

const askOf = (call: string) => `process.stdout.write(JSON.stringify(require(${JSON.stringify(built)}).${call}()))`;
const ask = `process.stdout.write(require(${JSON.stringify(built)}).folderOfCli())`;

/** What a provider process in `program` takes for the CLI's folder, if its shell was in `PWD`. */
const told = (
  program: string,
  PWD: string,
  command = process.execPath,
  args: readonly string[] = ["-e", ask],
  cwd = program,
  ASK = ask,
) => execFileSync(command, args, { cwd, env: { ...process.env, PWD, ASK, PROGRAM: program }, encoding: "utf8" });

onLinux("The state is read from the folder of the CLI's process, wherever the program is", () => {
  const { top, program, other } = folders();
  expect(told(program, program, cliIn(top), [], other)).toBe(other);
});

onLinux("The state is that of the stack that the CLI was told to use", () => {
  const { top, program, other } = folders();
  const cli = cliIn(top);
  const of = (...args: string[]) =>
    ["stackOfCli", "stackOptionsOfCli"].map(
      (call) => JSON.parse(told(program, program, cli, args, other, askOf(call))) as unknown,
    );
  expect(of("up", "--stack", "acme/test/dev", "--yes")).toEqual([{ name: "acme/test/dev" }, " --stack acme/test/dev"]);
  expect(of("up", "--yes")).toEqual([{}, ""]);
});

test.each<readonly [readonly string[], ReturnType<typeof stackIn>]>([
  [["up"], { name: undefined }],
  [["up", "--yes", "--skip-preview", "-C", "."], { name: undefined }],
  [["up", "--stack", "dev", "--yes"], { name: "dev" }],
  [["up", "--stack=acme/test/dev"], { name: "acme/test/dev" }],
  [["-s", "dev", "destroy"], { name: "dev" }],
  [["up", "-s=dev"], { name: "dev" }],
  [["up", "-sdev"], { name: "dev" }],
  // Not known: another option may end in `s`, or have a value.
  [["up", "-ys", "dev"], undefined],
  [["up", "-Cfolders"], undefined],
  [["up", "--stack"], undefined],
  [["do", "data-connectivity:getJobs", "--", "--stack", "dev"], { name: undefined }],
])("pulumi %j uses the stack %j", (args, stack) => {
  expect(stackIn(args)).toEqual(stack);
});

test("Elsewhere it is the shell's folder, if that is in the same project", () => {
  const { project, program, other } = folders();
  expect(told(program, project)).toBe(project);
  expect(told(program, other)).toBe(program);
});
