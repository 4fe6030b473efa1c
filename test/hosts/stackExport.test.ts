import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
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

const ask = `process.stdout.write(require(${JSON.stringify(built)}).folderOfCli())`;

/** What a provider process in `program` takes for the CLI's folder, if its shell was in `PWD`. */
const told = (
  program: string,
  PWD: string,
  command = process.execPath,
  args: readonly string[] = ["-e", ask],
  cwd = program,
) => execFileSync(command, args, { cwd, env: { ...process.env, PWD, ASK: ask, PROGRAM: program }, encoding: "utf8" });

onLinux("The state is read from the folder of the CLI's process, wherever the program is", () => {
  const { top, program, other } = folders();
  // The kernel names a process after its script. Between the CLI and a provider stands another shell.
  const cli = join(top, "pulumi");
  const start = `sh -c 'cd "$PROGRAM" && exec "${process.execPath}" -e "$ASK"'; exit $?`;
  writeFileSync(cli, `#!/bin/sh\n${start}\n`, { mode: 0o755 });
  expect(told(program, program, cli, [], other)).toBe(other);
});

test("Elsewhere it is the shell's folder, if that is in the same project", () => {
  const { project, program, other } = folders();
  expect(told(program, project)).toBe(project);
  expect(told(program, other)).toBe(program);
});
