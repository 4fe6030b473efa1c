import { createServer, type Socket } from "node:net";
import { EngineLog } from "../../../provider/src/hosts/plugin/engineLog.js";
import { stopAll, stopLater } from "../../support/emulated.js";
import { startFakeEngine } from "../../support/driver/process.js";
import { close, listen } from "../../support/servers.js";

afterEach(stopAll);

test("Lines reach the engine's log, those that came before its address too, and stand at their resources", async () => {
  const engine = await startFakeEngine();
  const log = new EngineLog();
  log.say("early");
  log.connect(engine.address);
  log.say("at \ud83d orders", "urn:orders", "WARNING");
  await log.sent();
  expect(engine.logged).toEqual([
    { severity: "INFO", message: "early", urn: "" },
    { severity: "WARNING", message: "at \ufffd orders", urn: "urn:orders" },
  ]);
  engine.kill();
  log.say("to nobody");
  await log.sent();
});

describe("A line for the engine", () => {
  /** The number of connections to a server that accepts them and never answers, and its port. */
  async function startMute() {
    const open = new Set<Socket>();
    const server = createServer((socket) => open.add(socket));
    const port = await listen(server);
    stopLater({ stop: () => close(server, open) });
    return { port, connections: () => open.size };
  }

  test.each(["http_proxy", "https_proxy", "grpc_proxy"])("does not go through a proxy: %s", async (variable) => {
    const [engine, proxy] = await Promise.all([startFakeEngine(), startMute()]);
    process.env[variable] = `http://127.0.0.1:${proxy.port}`;
    try {
      const log = new EngineLog();
      log.connect(engine.address);
      log.say("line");
      await log.sent();
    } finally {
      Reflect.deleteProperty(process.env, variable);
    }
    expect([engine.logged.map(({ message }) => message), proxy.connections()]).toEqual([["line"], 0]);
  });

  test("holds up no call where the engine does not take it", async () => {
    const { port, connections } = await startMute();
    const log = new EngineLog(50);
    log.connect(`127.0.0.1:${port}`);
    log.say("line");
    await log.sent();
    expect(connections()).toBe(1);
  });
});
