import { generateKeyPairSync } from "node:crypto";
import { rmSync } from "node:fs";
import { CliFolder } from "../cli/cliProcess.js";
import type { CommandResult, RunningCommand } from "../support/command.js";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { stopAll } from "../support/emulated.js";
import type { EngineStack } from "../support/engine.js";
import { matching, saying } from "../support/matchers.js";
import { pageAt } from "../support/pages.js";
import { allEnded, descendantsOf, end } from "../support/processes.js";
import { caching } from "../support/scenarios/scenario.js";
import { startStack } from "../support/startStack.js";

const { text } = pageAt("docs/testing.md");
const [, table = ""] = text.split("To rehearse [the runbook]");

/** The commands of the page's table, by the runbook's section. */
const rows = new Map(
  [...table.matchAll(/^\| (.+?) \| (.*) \|$/gm)].map(([, section = "", what = ""]) => [
    section,
    [...what.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code),
  ]),
);

describeWithEngine("The page's emulator rehearses", () => {
  const folder = new CliFolder();
  let running: RunningCommand | undefined;
  let stack: EngineStack;
  let baseUrl = "";

  /** Starts the emulator, or ends it and starts it again on its port. */
  async function restart(...args: readonly string[]): Promise<void> {
    await stop();
    const port = baseUrl === "" ? "0" : new URL(baseUrl).port;
    running = folder.start(["emulator", "--port", port, ...args]);
    [, baseUrl = ""] = await running.outputMatches(/ export DATA_CONNECTIVITY_BASE_URL=(\S+)\n[^]*Ctrl-C/);
  }
  async function stop(): Promise<void> {
    running?.kill("SIGTERM");
    await running?.finished;
  }

  const command = (section: string): string => rows.get(section)?.[0] ?? "";
  const words = (line: string): string[] => line.split(" ");
  /** What the page says to tell the emulator. */
  const tell = async (section: string): Promise<void> => {
    const line = `pulumi-data-connectivity emulator ${command(section).replace("…", baseUrl)}`;
    expect(await stack.shell(line)).toMatchObject({ exitCode: 0, stdout: saying("From now on: 1 fault") });
  };
  const up = (token = "test"): Promise<CommandResult> => stack.up(["--skip-preview"], { env: withToken(token) });
  const withToken = (token: string) => ({ DATA_CONNECTIVITY_BASE_URL: baseUrl, DATA_CONNECTIVITY_TOKEN: token });
  const jobs = (): readonly string[] =>
    stack.state.resources.flatMap(({ id, type }) => (type.includes("data-connectivity:C") && id ? [id] : []));

  beforeEach(async () => {
    rmSync(`${folder.path}/jobs.json`, { force: true });
    await restart(...words("--token test --jobs jobs.json"));
    stack = await startStack({ config: { "data-connectivity:jobOperations": "all" } });
    stack.declare({ orders: caching() });
  });
  afterEach(stopAll);
  afterAll(stop);

  test("a killed run", async () => {
    await tell("A run was killed");
    const run = stack.spawn(["up", "--yes", "--skip-preview"], { env: withToken("test") });
    // The log's line, the request's effect: the reply comes after a minute.
    await running?.outputMatches(/POST .* made Caching job .*fault delay/);
    const left = descendantsOf(run.pid);
    run.kill("SIGKILL");
    end(left);
    await run.finished;
    await allEnded(left, 20_000);
    await stack.shell("pulumi cancel --yes");
    expect(await up()).toMatchObject({ exitCode: 0 });
    expect(jobs()).toHaveLength(1);
  });

  test("an expired token", async () => {
    await up();
    await restart(...words(command("The token has expired").replace("restart it with ", "")));
    stack.declare({ orders: caching({ intervalValue: 6 }) });
    expect(await up()).toMatchObject({ exitCode: 1, output: saying("did not accept the token") });
    expect(await up("new")).toMatchObject({ exitCode: 0, output: saying("1 updated") });
  });

  test("a token of another account", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    folder.write("public.pem", publicKey.export({ type: "spki", format: "pem" }).toString());
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const sign = async (subject: string) =>
      (await folder.spawnPiped(key, ["token", "--key", "-", "--issuer", "parent", "--subject", subject])).stdout.trim();
    await restart(...words(command("The token is of another account")));
    expect(await up(await sign("acme"))).toMatchObject({ exitCode: 0 });
    stack.declare({ orders: caching({ intervalValue: 6 }) });
    expect(await up(await sign("globex"))).toMatchObject({ exitCode: 1, output: saying("another account") });
  });

  test("a service that is down, and comes back", async () => {
    await tell("The service is down");
    expect(await up()).toMatchObject({ exitCode: 1, output: saying("503") });
    expect(await folder.run(["emulator", "--at", baseUrl, "--faults", "[]"])).toMatchObject({ exitCode: 0 });
    expect(await up()).toMatchObject({ exitCode: 0 });
  });

  test("a job that is gone", async () => {
    await up();
    const [id = ""] = jobs();
    const line = command("A job is gone").replace("<id>", id);
    expect(await stack.shell(line, withToken("test"))).toMatchObject({ exitCode: 0 });
    const look = "pulumi stack export | pulumi-data-connectivity jobs --at-service - --check";
    expect(await stack.shell(look, withToken("test"))).toMatchObject({
      exitCode: 1,
      stdout: saying("not in the list"),
    });
  });

  test("a duplicate", async () => {
    await stack.setConfig({ "data-connectivity:jobOperations": "create" });
    stack.declare({ orders: caching(), again: caching() });
    expect(await up()).toMatchObject({ exitCode: 0 });
    await stack.setConfig({ "data-connectivity:jobOperations": "all" });
    const look = "pulumi-data-connectivity jobs --at-service --all --check";
    expect(await stack.shell(look, withToken("test"))).toMatchObject({
      exitCode: 1,
      stdout: matching(/duplicate of \S+ .*\n.*duplicate of [^]*2 jobs have a problem\./),
    });
  });
});
