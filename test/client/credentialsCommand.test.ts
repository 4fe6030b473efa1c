import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCredentialsCommand } from "../../provider/src/client/command.js";

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), "command-"))));
afterEach(() => rm(folder, { recursive: true }));
const until = (time: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));

describe("A command that prints a token", () => {
  const fails = (text: string, limitMs?: number): Promise<string> =>
    runCredentialsCommand(text, "the setting", limitMs).then(
      (token) => `printed ${token}`,
      (error: unknown) => String(error),
    );

  test("is trimmed", async () => {
    expect(await fails("printf '\\n  abc \\n\\n'")).toBe("printed abc");
  });

  test.each<[string, string, RegExp]>([
    [
      "fails",
      "echo s3cr3t; echo vault is sealed >&2; exit 3",
      /of the setting ended with exit code 3\. It said: "vault is sealed"\. /,
    ],
    ["does not exist", "no-such-command-anywhere", /ended with exit code 127\. It said: .*not found/],
    ["is killed", "echo s3cr3t; kill -9 $$", /was ended by SIGKILL\./],
    ["prints nothing", "echo why >&2", /printed nothing on its standard output\. It said: "why"\. /],
    ["prints too much", "echo s3cr3t; yes s3cr3t", /printed more than 64 KiB\./],
    ["prints the token on its stderr too", "echo s3cr3t; echo token=s3cr3t >&2; exit 1", /It said: "token=<token>"\. /],
  ])("and %s says so, and never its output", async (_name, text, says) => {
    const said = await fails(text);
    expect(said).toMatch(says);
    expect(said).not.toContain("s3cr3t");
  });

  test("shows the end of a long stderr, without half a token", async () => {
    const said = await fails(
      `echo ${"s3cr3t".repeat(50)}; echo before ${"s3cr3t".repeat(50)} ${"x".repeat(300)} >&2; exit 1`,
    );
    expect(said).not.toContain("s3cr");
  });

  test("ends at its time limit, with all that it started", async () => {
    const begun = Date.now();
    const mark = join(folder, "mark");
    expect(await fails(`echo s3cr3t; (sleep 2; touch '${mark}') & sleep 60`, 300)).toMatch(
      /did not end within 0\.3 s\. Run the command/,
    );
    expect(Date.now() - begun).toBeLessThan(5000);
    await until(begun + 2600);
    await expect(readFile(mark)).rejects.toThrow("ENOENT");
  });
});
