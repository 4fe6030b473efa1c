import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { subjectOf } from "../../provider/src/client/token.js";
import { start, stopAll } from "../support/emulated.js";
import { jwt } from "../support/jwt.js";
import { CliFolder, ownSettings } from "./cliProcess.js";
import { caching, prefixed, stackOf } from "./exportedState.js";

afterEach(stopAll);

type Jobs = Readonly<Record<string, string>>;

/** Two stacks of one account. While the command runs, another run changes what they have: each is read as it was, then as it is. */
async function run(
  args: readonly string[],
  ids: readonly string[],
  stacks: Readonly<Record<string, { readonly mode?: string; readonly readings: readonly [Jobs, Jobs] }>>,
) {
  const token = jwt({ iss: "p", sub: "one" });
  const service = await start({ tokens: { [token]: "one" } });
  for (const id of ids) service.addJob(caching(id.slice(2)), { id, account: "one" });
  const folder = new CliFolder();
  folder.env["PATH"] = `${folder.path}/bin:/usr/bin:/bin`;
  mkdirSync(join(folder.path, "bin"));
  folder.write("Pulumi.yaml", "name: fleet\nruntime: yaml\n");
  folder.write("ls.json", JSON.stringify(Object.keys(stacks).map((name) => ({ name }))));
  for (const [name, { mode = "all", readings }] of Object.entries(stacks)) {
    folder.write(`Pulumi.${name}.yaml`, "");
    const settings = { ...ownSettings({ ...service, token }), jobOperations: mode };
    const values = Object.entries(prefixed(settings)).map(([key, value]) => [key, { value, secret: false }]);
    folder.write(`config-${name}.json`, JSON.stringify(Object.fromEntries(values)));
    for (const [n, jobs] of readings.entries())
      folder.write(`${name}-${n}.json`, stackOf(name, jobs, service.baseUrl, subjectOf(token)));
  }
  const script = `#!/bin/sh
root="$(dirname "$0")/.."
for word; do [ "$before" = --stack ] && stack=$word; before=$word; done
case "$1 $2" in
  "stack ls") cat "$root/ls.json" ;;
  "stack export")
    if [ -e "$root/seen-$stack" ]; then cat "$root/$stack-1.json"; else touch "$root/seen-$stack"; cat "$root/$stack-0.json"; fi ;;
  *) cat "$root/config-$stack.json" ;;
esac
`;
  chmodSync(folder.write("bin/pulumi", script), 0o755);
  return folder.run(["jobs", ...args]);
}

/** Only `b` may be in mode `create`. Its `up` creates a job and records it. */
const whileUpRuns = (args: readonly string[], mode: string) =>
  run(["--at-service", "--all", ...args], ["a-T0", "b-T1", "b-NEW"], {
    a: { readings: [{ T0: "a-T0" }, { T0: "a-T0" }] },
    b: { mode, readings: [{ T1: "b-T1" }, { T1: "b-T1", NEW: "b-NEW" }] },
  });

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
  const both = { T1: "b-T1", T2: "m-T2" };
  const { exitCode, stdout, stderr } = await run(args, ["a-T0", "b-T1", "m-T2"], {
    // `a` is read before the move, `b` after it; a second reading of both shows the move.
    a: { readings: [{ T0: "a-T0", T2: "m-T2" }, { T0: "a-T0" }] },
    b: { readings: [both, both] },
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).not.toMatch(/pulumi state delete|not in the list/);
});

describe.each([
  ["deleted", {}, ["a-T0"]],
  ["replaced", { T1: "b-NEW" }, ["a-T0", "b-NEW"]],
] as const)("A job that was %s meanwhile", (_what, later, ids) => {
  test.each(["--check", "--failed"])("is not missing: %s", async (how) => {
    const ignored = how === "--check" ? ["--ignore", "overdue", "--ignore", "unknown"] : [];
    const { stdout } = await run(["--at-service", "--all", how, ...ignored], ids, {
      a: { readings: [{ T0: "a-T0" }, { T0: "a-T0" }] },
      b: { readings: [{ T1: "b-OLD" }, later] },
    });
    expect(stdout).not.toContain("b-OLD");
  });
});
