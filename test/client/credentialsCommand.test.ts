import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runCredentialsCommand } from "../../provider/src/client/command.js";
import { until } from "../support/clock.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

const folder = temporaryFolder();

describe("A credentials command", () => {
  const run = (text: string, limitMs?: number): Promise<string> =>
    runCredentialsCommand(text, "the setting", limitMs).then(
      (token) => `printed ${token}`,
      (error: unknown) => String(error),
    );

  test("may print white space around the token", async () => {
    expect(await run("printf '\\n  abc \\n\\n'")).toBe("printed abc");
  });

  test.each<[string, string, RegExp]>([
    [
      "fails",
      "echo s3cr3t; echo vault is sealed >&2; exit 3",
      /of the setting ended with exit code 3\. It printed: "vault is sealed"\. /,
    ],
    ["does not exist", "no-such-command-anywhere", /ended with exit code 127\. It printed: .*not found/],
    ["is killed", "echo s3cr3t; kill -9 $$", /was ended by SIGKILL\./],
    ["prints nothing", "echo why >&2", /printed nothing on its standard output\. It printed: "why"\. /],
    ["prints too much", "echo s3cr3t; yes s3cr3t", /printed more than 64 KiB\./],
    [
      "prints the token on its stderr too",
      "echo s3cr3t; echo token=s3cr3t >&2; exit 1",
      /It printed: "token=<token>"\. /,
    ],
  ])("that %s is reported, and its output is never shown", async (_name, text, says) => {
    const message = await run(text);
    expect(message).toMatch(says);
    expect(message).not.toContain("s3cr3t");
  });

  test("shows the end of a long stderr, without half a token", async () => {
    const message = await run(
      `echo ${"s3cr3t".repeat(50)}; echo before ${"s3cr3t".repeat(50)} ${"x".repeat(300)} >&2; exit 1`,
    );
    expect(message).not.toContain("s3cr");
  });

  test("is ended at its time limit, with all that it started", async () => {
    const begun = Date.now();
    const mark = join(folder(), "mark");
    expect(await run(`echo s3cr3t; (sleep 2; touch '${mark}') & sleep 60`, 300)).toMatch(
      /did not end within 0\.3 s\. Run the command/,
    );
    expect(Date.now() - begun).toBeLessThan(5000);
    await until(begun + 2600);
    await expect(readFile(mark)).rejects.toThrow("ENOENT");
  });
});
