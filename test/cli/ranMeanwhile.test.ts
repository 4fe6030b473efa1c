import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { subjectOf } from "../../provider/src/client/token.js";
import { start, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { CliFolder, ownSettings } from "./cliProcess.js";
import { caching, prefixed, stackOf } from "./exportedState.js";

afterEach(stopAll);

/** Two stacks of one account, of which only `b` may be in mode `create`. While the command runs, an `up` of `b` creates and records a job. */
async function whileUpRuns(args: readonly string[], modeOfB: string) {
  const token = jwt({ iss: "p", sub: "one" });
  const service = await start({ tokens: { [token]: "one" } });
  const subject = subjectOf(token);
  for (const id of ["a-T0", "b-T1", "b-NEW"]) service.addJob(caching(id.slice(2)), { id, account: "one" });
  const folder = new CliFolder();
  folder.env["PATH"] = `${folder.path}/bin:/usr/bin:/bin`;
  mkdirSync(join(folder.path, "bin"));
  folder.write("Pulumi.yaml", "name: fleet\nruntime: yaml\n");
  for (const [name, mode] of [
    ["a", "all"],
    ["b", modeOfB],
  ] as const) {
    folder.write(`Pulumi.${name}.yaml`, "");
    const settings = { ...ownSettings({ ...service, token }), jobOperations: mode };
    const values = Object.entries(prefixed(settings)).map(([key, value]) => [key, { value, secret: false }]);
    folder.write(`config-${name}.json`, JSON.stringify(Object.fromEntries(values)));
  }
  folder.write("ls.json", JSON.stringify([{ name: "a" }, { name: "b" }]));
  folder.write("a-1.json", stackOf("a", { T0: "a-T0" }, service.baseUrl, subject));
  folder.write("b-1.json", stackOf("b", { T1: "b-T1" }, service.baseUrl, subject));
  folder.write("a-2.json", stackOf("a", { T0: "a-T0" }, service.baseUrl, subject));
  folder.write("b-2.json", stackOf("b", { T1: "b-T1", NEW: "b-NEW" }, service.baseUrl, subject));
  const script = `#!/bin/sh
root="$(dirname "$0")/.."
for word; do [ "$before" = --stack ] && stack=$word; before=$word; done
case "$1 $2" in
  "stack ls") cat "$root/ls.json" ;;
  "stack export")
    if [ -e "$root/seen-$stack" ]; then cat "$root/$stack-2.json"; else touch "$root/seen-$stack"; cat "$root/$stack-1.json"; fi ;;
  *) cat "$root/config-$stack.json" ;;
esac
`;
  chmodSync(folder.write("bin/pulumi", script), 0o755);
  return folder.run(["jobs", "--at-service", "--all", ...args]);
}

describe.each(["all", "create"])("stack b in mode %s", (mode) => {
  test.each(["--as-import", "--as-program"])("%s declares no job that a stack has recorded since", async (how) => {
    const { exitCode, stdout } = await whileUpRuns([how], mode);
    expect(exitCode).toBe(mode === "all" ? 0 : 1);
    expect(stdout).not.toContain("b-NEW");
  });

  test("--check calls no job an orphan that a stack has recorded since", async () => {
    const { stdout } = await whileUpRuns(["--check", "--ignore", "overdue", "--ignore", "unknown"], mode);
    expect(stdout).toMatch(/No problem found/);
  });
});

/** While the command exports the stacks one by one, somebody moves a job from `a` to `b` (pulumi state move). */
test.each([
  ["jobs --all --check", ["--all", "--check"]],
  ["jobs --at-service --all", ["--at-service", "--all"]],
])("%s calls no job shared that was moved meanwhile", async (_name, args) => {
  const token = jwt({ iss: "p", sub: "one" });
  const service = await start({ tokens: { [token]: "one" } });
  const subject = subjectOf(token);
  for (const id of ["a-T0", "b-T1", "m-T2"]) service.addJob(caching(id.slice(2)), { id, account: "one" });
  const folder = new CliFolder();
  folder.env["PATH"] = `${folder.path}/bin:/usr/bin:/bin`;
  mkdirSync(join(folder.path, "bin"));
  folder.write("Pulumi.yaml", "name: fleet\nruntime: yaml\n");
  for (const name of ["a", "b"]) {
    folder.write(`Pulumi.${name}.yaml`, "");
    const settings = { ...ownSettings({ ...service, token }), jobOperations: "all" };
    const values = Object.entries(prefixed(settings)).map(([key, value]) => [key, { value, secret: false }]);
    folder.write(`config-${name}.json`, JSON.stringify(Object.fromEntries(values)));
  }
  folder.write("ls.json", JSON.stringify([{ name: "a" }, { name: "b" }]));
  // `a` is read before the move, `b` after it; a second reading of both would show the move.
  folder.write("a-1.json", stackOf("a", { T0: "a-T0", T2: "m-T2" }, service.baseUrl, subject));
  folder.write("a-2.json", stackOf("a", { T0: "a-T0" }, service.baseUrl, subject));
  for (const n of [1, 2])
    folder.write(`b-${n}.json`, stackOf("b", { T1: "b-T1", T2: "m-T2" }, service.baseUrl, subject));
  const script = `#!/bin/sh
root="$(dirname "$0")/.."
for word; do [ "$before" = --stack ] && stack=$word; before=$word; done
case "$1 $2" in
  "stack ls") cat "$root/ls.json" ;;
  "stack export")
    if [ -e "$root/seen-$stack" ]; then cat "$root/$stack-2.json"; else touch "$root/seen-$stack"; cat "$root/$stack-1.json"; fi ;;
  *) cat "$root/config-$stack.json" ;;
esac
`;
  chmodSync(folder.write("bin/pulumi", script), 0o755);
  const { exitCode, stdout, stderr } = await folder.run(["jobs", ...args]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).not.toMatch(/pulumi state delete|not in the list/);
});
