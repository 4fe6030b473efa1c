import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { runCredentialsCommand } from "../../provider/src/client/credentialsCommand.js";
import { Cancellation } from "../../provider/src/client/gate.js";
import { leaveRunning } from "../support/credentialsCommand.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

const run = (text: string, limitMs?: number): Promise<string> =>
  runCredentialsCommand(text, "the setting", limitMs).then(
    (token) => `printed ${token}`,
    (error: unknown) => String(error),
  );

describe("A command that prints a token", () => {
  test("is trimmed", async () => {
    expect(await run("printf '\\n  abc \\n\\n'")).toBe("printed abc");
  });

  test.each<[string, string, RegExp]>([
    [
      "fails",
      "echo s3cr3t; echo it is shut >&2; exit 3",
      /of the setting ended with exit code 3\. It printed: "it is shut"\. /,
    ],
    ["does not exist", "no-such-command-anywhere", /ended with exit code 127\. It printed: .*not found/],
    [
      "says its arguments again",
      "printf '%s %s' /Kq3s3cr3tAbc /usr/lib/no-such-file >&2; false",
      /It printed: "<command> \/usr\/lib\/no-such-file"\. /,
    ],
    ["is killed", "echo s3cr3t; kill -9 $$", /was ended by SIGKILL\./],
    ["prints nothing", "echo why >&2", /printed nothing on its standard output\. It printed: "why"\. /],
    ["prints too much", "echo s3cr3t; yes s3cr3t", /printed more than 1 MiB\./],
    [
      "prints the token on its stderr too",
      "echo s3cr3t; echo token=s3cr3t >&2; exit 1",
      /It printed: "token=<token>"\. /,
    ],
    [
      "traces itself, with more on its stdout than the token",
      "set -x; echo s3cr3t; echo 'at s3cr3t=, 2026'; exit 1",
      /It printed: "\+ echo <token>\n\+ echo .*<token>.*\n\+ exit 1"\. /,
    ],
    ["prints one word of it elsewhere", "echo user s3cr3t; echo Basic:s3cr3t >&2; exit 1", /"Basic:<token>"\. /],
  ])("and %s says so, and never its output", async (_name, text, says) => {
    const said = await run(text);
    expect(said).toMatch(says);
    expect(said).not.toContain("s3cr3t");
  });

  test.each<[string, string, RegExp]>([
    ["an option that a program does not know", "git --version --pasword hunter2s3cret", /unknown option/],
    ["a shell's syntax error", "bash -c 'get-token --user me --password hunter2s3cret )'", /syntax error/],
    ["a trace", "set -x; ls -u me:hunter2s3cret /no/such/file", /\/no\/such\/file/],
  ])("shows no password of the command: %s", async (_what, text, shown) => {
    const said = await run(text);
    expect(said).toMatch(shown);
    expect(said).not.toContain("hunter2");
  });

  test("shows the end of a long stderr, without half a token", async () => {
    const said = await run(
      `echo ${"s3cr3t".repeat(50)}; echo before ${"s3cr3t".repeat(50)} ${"x".repeat(300)} >&2; exit 1`,
    );
    expect(said).not.toContain("s3cr");
  });

  test.each([
    ["a trace", 'set -x; ls -u "me:$IDP_SECRET" /no/such/file'],
    ["an option that a program does not know", 'git --version "--pasword=${IDP_SECRET}"'],
    ["a variable that only its program names", `node -e 'throw process.env["IDP_" + "SECRET"] + " is refused"'`],
    ["a variable whose name says nothing", 'ls "/no/such/$IDP_USER"'],
  ])("shows no secret of its environment: %s", async (_what, text) => {
    Object.assign(process.env, { IDP_SECRET: "hunter2s3cret", IDP_USER: "hunter2s3cret" });
    const said = await run(text);
    for (const name of ["IDP_SECRET", "IDP_USER"]) Reflect.deleteProperty(process.env, name);
    expect(said).toMatch(/ended with exit code [1-9]\d*\. It printed: ".*<(hidden|command)>/s);
    expect(said).not.toContain("hunter2");
  });

  test("does not inherit the stack's configuration, which has its secrets in clear text", async () => {
    process.env["PULUMI_CONFIG"] = '{"project:password":"hunter2"}';
    expect(await run('echo "${PULUMI_CONFIG-none}$HOME"')).toBe(`printed none${process.env["HOME"]}`);
    delete process.env["PULUMI_CONFIG"];
  });

  test("is not waited for where it asks for something", async () => {
    expect(await run("read answer; echo t0ken")).toBe("printed t0ken");
  });

  test.each([
    ["does not end", "echo s3cr3t; sleep 5", /did not end within 1 s\. Run the command/],
    [
      "leaves a process behind that keeps its output open",
      "echo s3cr3t; sleep 5 &",
      /ended, but a process that it started kept its standard output open for 1 s: redirect .*\. Run the command/,
    ],
  ])("fails at the time limit where it %s", async (_, text, says) => {
    const said = await run(text, 1000);
    expect(said).toMatch(says);
    expect(said).not.toContain("s3cr3t");
  });

  describe("and all that it started", () => {
    const folder = temporaryFolder();
    /** A command that starts a process and waits; the stream ends when both have ended. */
    function started(name: string) {
      const open = join(folder(), name);
      execFileSync("mkfifo", [open]);
      return { text: `exec 3> '${open}'; sleep 1000 & echo started >&3; wait`, open: createReadStream(open) };
    }

    test("end at the time limit", async () => {
      const { text, open } = started("limit");
      const ended = once(open.resume(), "end");
      expect(await run(text, 1000)).toMatch(/did not end within 1 s/);
      await ended;
    });

    test("end when the run is cancelled, which is the reason that is shown", async () => {
      const { text, open } = started("cancelled");
      const cancellation = new Cancellation();
      const result = runCredentialsCommand(text, "the setting", undefined, cancellation);
      await once(open, "data");
      cancellation.request();
      await expect(result).rejects.toThrow("The run was cancelled. Run the command again.");
      await once(open, "end");
    });

    test.each(["SIGINT", "SIGTERM"] as const)("end with the process that waits for it: %s", async (signal) => {
      const { text, open } = started(signal);
      const file = JSON.stringify(join(__dirname, "../../provider/dist/client/credentialsCommand.js"));
      const script = `require(${file}).runCredentialsCommand(${JSON.stringify(text)}, "the setting")`;
      const waiting = spawn(process.execPath, ["-e", script]);
      await once(open, "data");
      waiting.kill(signal);
      await Promise.all([once(open, "end"), once(waiting, "exit")]);
      expect(waiting.signalCode).toBe(signal);
    });
  });

  describe("and leaves a process running", () => {
    const folder = temporaryFolder();

    test("is over: a cancelled run leaves that process alone", async () => {
      const left = leaveRunning(folder(), ">/dev/null 2>&1");
      const cancellation = new Cancellation();
      expect(await runCredentialsCommand(left.command, "the setting", undefined, cancellation)).toBe("t0ken");
      cancellation.request();
      await cancellation.requested;
      expect(await left.answer()).toBe("alive");
    });

    test("that keeps its output open is not waited for after the time limit, and not ended either", async () => {
      const left = leaveRunning(folder(), "");
      expect(await run(left.command, 1000)).toMatch(/kept its standard output open for 1 s/);
      expect(await left.answer()).toBe("alive");
    });
  });

  test("says so where Node's permission model allows no child process", () => {
    const flag = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission";
    const file = JSON.stringify(join(__dirname, "../../provider/dist/client/credentialsCommand.js"));
    const script = `require(${file}).runCredentialsCommand("echo t0ken", "the setting").catch((error) => console.log(error.message))`;
    const { stdout } = spawnSync(process.execPath, [flag, "--allow-fs-read=*", "-e", script], { encoding: "utf8" });
    expect(stdout).toMatch(/^The command of the setting could not be started \(Access to this API has been restricted/);
  });

  test("may leave a process behind that writes elsewhere", async () => {
    expect(await run("echo t0ken; sleep 5 >/dev/null 2>&1 &")).toBe("printed t0ken");
  });
});
