import { startHostUnderEngine } from "../support/all/hosts.js";
import { declared } from "../support/configuredProvider.js";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { Host } from "../support/driver/process.js";
import { deferred } from "../support/deferred.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { temporaryFolder } from "../support/temporaryFolder.js";
import { RequestWatch } from "../support/requestWatch.js";

afterEach(stopAll);
const folder = temporaryFolder();

const news = declared("ORDERS");

/** A provider that writes its debug log, under an engine that a test kills; with a service that has these faults. */
async function startUnder(host: Host, faults: TestFault[] = [], config: Readonly<Record<string, string>> = {}) {
  const watch = new RequestWatch();
  const { baseUrl, token, requests } = await start({ faults, onRequest: watch.onRequest });
  const credentials = "credentialsCommand" in config ? {} : { token };
  const env = { DATA_CONNECTIVITY_LOG: "debug" };
  const provider = await startHostUnderEngine(host, { baseUrl, ...credentials, ...config }, { env });
  const count = (operation: string) => requests.filter((request) => request.operation === operation).length;
  return { provider, baseUrl, count, sent: (operation: string) => watch.until(() => count(operation) > 0) };
}

describe.each<Host>(["dynamic", "plugin"])("A provider process whose engine is killed ends (%s)", (host) => {
  test("while it has nothing to do", async () => {
    const { provider } = await startUnder(host);
    await provider.check({}, news);
    provider.killEngine();
    await provider.ended;
  });

  const killed = deferred();
  test.each<[what: string, fault: TestFault]>([
    ["waits for the answer to a create", { kind: "silence", processed: true }],
    ["loses the connection of a create", { kind: "reset", processed: true, until: killed.promise }],
    ["pauses for a rate limit", { kind: "reply", status: 429, headers: { "Retry-After": "60" } }],
  ])("while it %s, and repeats nothing", async (_what, fault) => {
    const { provider, sent, count } = await startUnder(host, [{ ...fault, on: "create" }]);
    const answer = provider.create(news).catch(() => undefined);
    await sent("create");
    provider.killEngine();
    killed.resolve();
    await provider.ended;
    await answer;
    expect(count("create")).toBe(1);
  });

  test("in a refresh", async () => {
    const { provider, sent, count, baseUrl } = await startUnder(host, [{ kind: "silence", on: "list" }], {
      jobOperations: "all",
    });
    const origin = { outcome: "created", baseUrl, at: "2026-01-01T00:00:00Z" };
    const answer = provider.read("7", { ...news, job: { id: "7" }, origin }).catch(() => undefined);
    await sent("list");
    provider.killEngine();
    await provider.ended;
    await answer;
    expect(count("list")).toBe(1);
  });

  test("with its credentials command, and all that the command started", async () => {
    const open = join(folder(), "open");
    execFileSync("mkfifo", [open]);
    // The command and what it starts hold the FIFO open for as long as they live.
    const credentialsCommand = `exec 3> '${open}'; sleep 1000 & echo started >&3; wait`;
    const { provider } = await startUnder(host, [], { credentialsCommand });
    const answer = provider.create(news).catch(() => undefined);
    const command = createReadStream(open);
    await once(command, "data");
    provider.killEngine();
    await Promise.all([once(command, "end"), provider.ended, answer]);
  });
});
