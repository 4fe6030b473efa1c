import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, Socket } from "node:net";
import { join } from "node:path";
import { runCredentialsCommand } from "../../provider/src/client/credentialsCommand.js";
import { stopAll, stopLater } from "../support/emulated.js";
import { close, listen } from "../support/servers.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

const folder = temporaryFolder();
afterEach(stopAll);

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

  test("shows the end of a long stderr, without half a token", async () => {
    const said = await run(
      `echo ${"s3cr3t".repeat(50)}; echo before ${"s3cr3t".repeat(50)} ${"x".repeat(300)} >&2; exit 1`,
    );
    expect(said).not.toContain("s3cr");
  });

  test("is read whole, also where it fills the pipe", async () => {
    const token = "x".repeat(60_000);
    expect(await run("head -c 60000 /dev/zero | tr '\\0' x; sleep 5 &")).toBe(`printed ${token}`);
  });
});

describe("A process that the command leaves behind", () => {
  test("is not waited for and goes on where there is a token, though it prints", async () => {
    const daemon = await startDaemon();
    expect(await run(`echo t0ken; ${daemon.command} &`)).toBe("printed t0ken");
    const socket = await daemon.connected;
    socket.write("a line\n");
    expect(String(await once(socket, "data"))).toBe("printed");
    socket.end();
    await daemon.ended;
  });

  test("is not waited for where its log never falls silent", async () => {
    // The process logs for longer than the command's time limit.
    expect(await run("echo t0ken; (for i in $(seq 1000); do echo log >&2; sleep 0.1; done) &")).toBe("printed t0ken");
  });

  test("is waited for as long as there is no token: it may print one", async () => {
    expect(await run("(sleep 1; echo t0ken) &")).toBe("printed t0ken");
  });

  test("is killed where the command fails", async () => {
    const daemon = await startDaemon();
    expect(await run(`echo s3cr3t; ${daemon.command} & ${daemon.waitForIt}; exit 3`)).toMatch(
      /ended with exit code 3\. Run the command/,
    );
    await daemon.ended;
  });

  test.each([
    ["does not end", "echo s3cr3t;", "sleep 60", /did not end within 3 s\. Run the command/],
    ["prints no token", "", "true", /printed nothing on its standard output\. Run the command/],
  ])("is killed at the time limit where the command %s", async (_, before, after, says) => {
    const daemon = await startDaemon();
    expect(await run(`${before} ${daemon.command} & ${after}`, 3000)).toMatch(says);
    await daemon.ended;
  });
});

/** A process that keeps its shell's output pipes open, prints what it receives, and then replies to the sender. */
async function startDaemon() {
  const server = createServer();
  const open: Socket[] = [];
  // A daemon ends when its connection closes.
  stopLater({ stop: () => close(server, open) });
  const port = await listen(server);
  const started = join(folder(), "started");
  const connected = once(server, "connection").then(async ([socket]: unknown[]) => {
    if (!(socket instanceof Socket)) throw new TypeError("The server gave no socket.");
    open.push(socket.on("error", () => undefined));
    await writeFile(started, "");
    return socket;
  });
  const script = `require("net").connect(${port}, "127.0.0.1").on("error", () => {}).on("close", () => process.exit())
    .on("data", function (data) { process.stdout.write(data, (error) => error ? process.exit() : this.write("printed")); })`;
  return {
    command: `'${process.execPath}' -e '${script}'`,
    waitForIt: `until [ -e '${started}' ]; do sleep 0.05; done`,
    connected,
    ended: connected.then((socket) => (socket.destroyed ? undefined : once(socket.resume(), "close"))),
  };
}
