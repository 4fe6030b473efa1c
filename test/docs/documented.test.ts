import { resolve } from "node:path";
import { startCommand } from "../support/command.js";

const workspace = resolve(__dirname, "../..");

test("Every export is documented, with each of its members, and every link in the reference leads somewhere", async () => {
  const typedoc = resolve(workspace, "node_modules/typedoc/bin/typedoc");
  const { output, exitCode } = await startCommand(process.execPath, [typedoc, "--emit", "none"], {
    cwd: workspace,
    env: { ...process.env, NO_COLOR: "1" },
  }).finished;
  expect(output).toBe("");
  expect(exitCode).toBe(0);
});
