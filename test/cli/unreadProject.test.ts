import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { CliFolder } from "./cliProcess.js";

test("A project that cannot be read is not taken for none, in a folder of projects", async () => {
  const folder = new CliFolder();
  const [one, other] = ["one", "other"].map((name) => join(folder.path, "projects", name));
  for (const project of [one, other]) mkdirSync(project ?? "", { recursive: true });
  folder.write("projects/one/Pulumi.yaml", "name: one\nruntime: nodejs\n");
  // Without the right to look into the folder, it is the same.
  const unread = join(other ?? "", "Pulumi.yaml");
  symlinkSync("Pulumi.yaml", unread);
  expect(await folder.run(["jobs", "--all", "projects"])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`${unread} could not be read: ELOOP`) as unknown,
  });
});
