import { createServer, type Socket } from "node:net";
import { Engine, engineAddress, type EngineAddress } from "../../provider/src/hosts/engine.js";
import { deferred } from "../support/deferred.js";
import { startFakeEngine } from "../support/driver/process.js";
import { stopAll, stopLater } from "../support/emulated.js";
import { close, listen } from "../support/servers.js";

afterEach(stopAll);

const at = (port: number): EngineAddress => ({ host: "127.0.0.1", port });

/** The address in these arguments of a provider process. */
function addressIn(...args: string[]): EngineAddress {
  const address = engineAddress(args);
  if (address === undefined) throw new Error(`No address: ${args.join(" ")}`);
  return address;
}

/** A server that accepts connections and never answers. */
async function startMute() {
  const open = new Set<Socket>();
  const server = createServer((socket) => open.add(socket));
  const port = await listen(server);
  stopLater({ stop: () => close(server, open) });
  return { port, open };
}

const line = { severity: "info", text: "line" } as const;

test("Findings reach the engine's log with their severities, at their resources; a debug line at that of its call", async () => {
  const { address, logged } = await startFakeEngine();
  const engine = new Engine();
  engine.connect(addressIn(address));
  const long = "x".repeat(20_000);
  await engine.answer("urn:items", () => {
    engine.report({ severity: "warning", text: "at \ud83d orders", about: "urn:orders" });
    engine.report({ severity: "info", text: long });
    engine.report({ severity: "debug", text: "request" });
  });
  expect(logged).toEqual([
    { severity: "WARNING", message: "at \ufffd orders", urn: "urn:orders" },
    { severity: "INFO", message: long, urn: "" },
    { severity: "INFO", message: "request", urn: "urn:items" },
  ]);
});

/** The engine passes flags before its address, whatever options the engine was started with. */
test.each<[what: string, flags: string[]]>([
  ["nothing else", []],
  ["--logflow -v=3", ["-v=3"]],
  ["--logflow --logtostderr -v=9", ["--logtostderr", "-v=9"]],
  ["--tracing", ["--tracing", "http://127.0.0.1:1"]],
  ["all of them", ["--logtostderr", "-v=3", "--tracing", "tcp://127.0.0.1:1"]],
])(
  "The end of an engine that was started with %s is noticed at once, and a line for it is dropped",
  async (_what, flags) => {
    const fake = await startFakeEngine();
    const gone = deferred();
    const engine = new Engine();
    engine.connect(addressIn(...flags, fake.address), gone.resolve);
    expect(await engine.isAlive()).toBe(true);
    fake.kill();
    await gone.promise;
    expect(await engine.isAlive()).toBe(false);
    await engine.answer("", () => {
      engine.report(line);
    });
    expect(fake.logged).toEqual([]);
  },
);

test("An engine that was just known to live, and whose end its connection does not show yet, is known to be gone", async () => {
  const engine = new Engine();
  const server = createServer();
  engine.connect(at(await listen(server)));
  const open = new Set<Socket>();
  server.on("connection", (socket) => open.add(socket));
  expect(await engine.isAlive()).toBe(true);
  // The connections that are open stay open.
  const closed = close(server, new Set());
  expect(await engine.isAlive()).toBe(false);
  for (const socket of open) socket.destroy();
  await closed;
});

test("Nobody who asks while a check is under way gets its answer, which may be older than the question", async () => {
  const [fake, engine] = [await startFakeEngine(), new Engine()];
  engine.connect(addressIn(fake.address));
  const before = engine.isAlive();
  // It is under way, and asked at the socket already.
  await Promise.resolve();
  const [first, second] = [engine.isAlive(), engine.isAlive()];
  expect(first).toBe(second);
  expect(first).not.toBe(before);
  expect(await Promise.all([before, first])).toEqual([true, true]);
  fake.kill();
});

test("An engine that closes a connection and still listens lives", async () => {
  const { port, open } = await startMute();
  const engine = new Engine();
  engine.connect(at(port), () => {
    throw new Error("It still listens.");
  });
  expect(await engine.isAlive()).toBe(true);
  const [first] = open;
  const closed = new Promise((resolve) => first?.once("close", resolve));
  first?.destroy();
  await closed;
  expect(await engine.isAlive()).toBe(true);
  engine.connect(at(port));
});

test("After another engine has attached, the end of the first one means nothing", async () => {
  const [first, second] = await Promise.all([startFakeEngine(), startFakeEngine()]);
  const engine = new Engine();
  engine.connect(addressIn(first.address), () => {
    throw new Error("It is not this process's engine any more.");
  });
  await engine.isAlive();
  engine.connect(addressIn(second.address));
  first.kill();
  await engine.answer("", () => {
    engine.report(line);
  });
  expect([first.logged.length, second.logged.length]).toEqual([0, 1]);
});

test.each([[[]], [["-v=3"]], [["engine.sock"]]])(
  "Without an address (%j) nothing is refused",
  async (args: string[]) => {
    expect(engineAddress(args)).toBeUndefined();
    const engine = new Engine();
    await engine.answer("", () => {
      engine.report(line);
    });
    expect(await engine.isAlive()).toBe(true);
  },
);

test.each(["http_proxy", "https_proxy", "grpc_proxy"])("A line does not go through a proxy: %s", async (variable) => {
  const [fake, proxy] = await Promise.all([startFakeEngine(), startMute()]);
  process.env[variable] = `http://127.0.0.1:${proxy.port}`;
  try {
    const engine = new Engine();
    engine.connect(addressIn(fake.address));
    await engine.answer("", () => {
      engine.report(line);
    });
  } finally {
    Reflect.deleteProperty(process.env, variable);
  }
  expect([fake.logged.length, proxy.open.size]).toEqual([1, 0]);
});

test("A line holds up no call where the engine does not take it", async () => {
  const { port, open } = await startMute();
  const engine = new Engine(50);
  engine.connect(at(port));
  await engine.answer("", () => {
    engine.report(line);
  });
  expect(open.size).toBe(1);
});
