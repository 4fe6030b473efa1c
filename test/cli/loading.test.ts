import { CliFolder } from "./cliProcess.js";
import { exported } from "./exportedState.js";

const folder = new CliFolder();
afterAll(() => {
  folder.dispose();
});

/** The modules that a command had loaded when it ended. */
async function loadedBy(args: readonly string[]): Promise<string> {
  const hook = folder.write(
    "hook.cjs",
    'process.on("exit", () => process.stderr.write(Object.keys(require.cache).join("\\n")));',
  );
  const { stderr } = await folder.run(args, { NODE_OPTIONS: `--require ${hook}` });
  expect(stderr).toContain("main.js");
  return stderr.replaceAll("\\", "/");
}

test.each([
  ["--version", ["--version"], /cli\/(doctor|jobs|emulator)\.js|node_modules/],
  [
    "jobs",
    ["jobs", folder.write("empty.json", exported([]))],
    /node_modules\/(yaml|axios)|cli\/(doctor|emulator)\.js|testing\//,
  ],
  ["doctor", ["doctor", "--help"], /cli\/(jobs|emulator)\.js|testing\/|node_modules\/axios/],
  ["emulator", ["emulator", "--help"], /cli\/(jobs|doctor)\.js|node_modules\/(yaml|axios)/],
])("%s loads no other command and none of its libraries", async (_, args, others) => {
  expect(await loadedBy(args)).not.toMatch(others);
});
