import { EventEmitter, once } from "node:events";
import { Agent } from "node:http";
import { connect } from "node:net";
import { create, createText, faulty, list, portOf, start, stopAll } from "../support/emulated.js";
import type { TestServerOptions, TestFault } from "../support/emulator/index.js";
import { sendBytes, send, type Received } from "../support/rawHttp.js";
import { selfSigned } from "../support/selfSigned.js";

afterEach(stopAll);

// First, so that no connection of another test is still closing.
describe("Stopping an emulator", () => {
  test("can be repeated, frees the port, and leaves nothing open", async () => {
    const open = (kind: string): number =>
      process.getActiveResourcesInfo().filter((resource) => resource.startsWith(kind)).length;
    const timers = open("Timeout");
    const faults: TestFault[] = [{ kind: "silence" }, { kind: "delay", ms: 60_000, times: 9 }];
    const emulator = await start({ faults, idleTimeoutMs: 60_000 });
    const waiting = Array.from({ length: 10 }, () => sendBytes(emulator.baseUrl, createText(emulator)));
    await list(emulator);
    let stopped = false;
    const stopping = emulator.stop().then(() => (stopped = true));
    await emulator.stop();
    expect(stopped).toBe(true);
    await Promise.all([stopping, emulator.stop(), ...waiting]);
    expect(open("TCP")).toBe(0);
    expect(open("Timeout")).toBeLessThanOrEqual(timers);
    expect((await list(emulator)).failure).toMatch("ECONNREFUSED");
    await start({ port: portOf(emulator) });
  });
});

describe("Broken connections:", () => {
  /** What was received, cut down to how far it got. */
  function progress(text: string): "nothing" | "headers" | "half a body" | "all" {
    const [head = "", body = ""] = text.split(/\r\n\r\n(.*)/s);
    if (head === "") return "nothing";
    const announced = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    if (body === "") return "headers";
    return body.length === Math.floor(announced / 2) ? "half a body" : "all";
  }
  const phases = [
    ["connect", "nothing", 0],
    ["request", "nothing", 1],
    ["headers", "headers", 1],
    ["body", "half a body", 1],
  ] as const;

  const broken = phases.flatMap(([when, received, read]) => [
    { kind: "reset", when, received, ended: "RST", read } as const,
    { kind: "close", when, received, ended: "FIN", read } as const,
  ]);
  test.each(broken)("a $kind at $when is a $ended after $received", async ({ kind, when, received, ended, read }) => {
    const emulator = await faulty({ kind, when });
    const seen = await sendBytes(emulator.baseUrl, createText(emulator));
    expect({ received: progress(seen.text), ended: seen.ended }).toEqual({ received, ended });
    expect(emulator.requests).toHaveLength(read);
    expect(emulator.jobs).toEqual([]);
    expect((await list(emulator)).status).toBe(200);
  });

  test.each(phases)("silence at %s comes after %s, and lasts until the emulator stops", async (when, received) => {
    const read = new EventEmitter();
    const emulator = await start({
      faults: [{ kind: "silence", when }],
      onRequest: ({ fault }) => read.emit(fault ?? "none"),
    });
    const silent = once(read, "silence");
    const waiting = sendBytes(emulator.baseUrl, createText(emulator));
    // Connections are accepted in their order: once a later one is served, the first has met its fault.
    await (when === "connect" ? list(emulator) : silent);
    await emulator.stop();
    expect(progress((await waiting).text)).toBe(received);
  });

  test("by default a request breaks after it was read, processed or not", async () => {
    const emulator = await faulty(
      { kind: "reset", processed: true },
      { kind: "close", processed: true },
      { kind: "close" },
    );
    expect((await create(emulator)).failure).toBe("ECONNRESET read ECONNRESET");
    expect((await create(emulator)).failure).toBe("ECONNRESET socket hang up");
    expect((await create(emulator)).failure).toBe("ECONNRESET socket hang up");
    expect(emulator.requests).toMatchObject([
      { fault: "reset", status: undefined, job: emulator.jobs[0]?.id },
      { fault: "close", status: undefined, job: emulator.jobs[1]?.id },
      { fault: "close", status: undefined, job: undefined },
    ]);
    expect(emulator.jobs).toHaveLength(2);
  });

  test.each([
    ["length", "ECONNRESET aborted"],
    ["chunked", "ECONNRESET aborted"],
    ["closeDelimited", undefined],
  ] as const)("a body cut short, framed by %s, fails with %s", async (framing, failure) => {
    const emulator = await faulty(
      { kind: "truncated", framing, processed: true },
      { kind: "truncated", framing, body: "0123456789" },
    );
    const reply = await create(emulator);
    expect({ status: reply.status, failure: reply.failure }).toEqual({ status: 200, failure });
    const whole = JSON.stringify({
      jobs: emulator.jobs.map((job) => ({ ...job, jobType: undefined, body: undefined })),
    });
    expect(reply.body.toString()).toBe(whole.slice(0, Math.floor(whole.length / 2)));
    expect((await create(emulator)).body.toString()).toBe("01234");
    expect(emulator.jobs).toHaveLength(1);
  });

  test("garbage is not HTTP", async () => {
    const emulator = await faulty({ kind: "garbage" });
    expect((await list(emulator)).failure).toMatch(/^HPE_/);
    expect(emulator.requests).toMatchObject([{ status: undefined, fault: "garbage" }]);
  });

  test.each<[string, TestServerOptions, TestFault[]]>([
    ["a delayed reply", { delayMs: 30 }, []],
    ["a delay", {}, [{ kind: "delay", ms: 30 }]],
    ["a drip", {}, [{ kind: "drip", everyMs: 1, endless: true }]],
    ["an oversized body", {}, [{ kind: "oversized", mebibytes: 2000 }]],
    ["a bomb", {}, [{ kind: "bomb", mebibytes: 200_000 }]],
    ["silence in the body", {}, [{ kind: "silence", when: "body" }]],
    ["a reset in the body", { delayMs: 5 }, [{ kind: "reset", when: "body" }]],
  ])("a client that disconnects during %s does no harm", async (_name, options, faults) => {
    for (const leave of ["destroy", "resetAndDestroy"] as const) {
      const read = new EventEmitter();
      const emulator = await start({ ...options, faults, onRequest: () => read.emit("request") });
      const socket = connect(portOf(emulator), "127.0.0.1").on("error", () => undefined);
      socket.write(createText(emulator));
      await once(read, "request");
      socket[leave]();
      expect((await list(emulator)).status).toBe(200);
      await emulator.stop();
    }
  });

  test("a client that resets a silent connection does no harm", async () => {
    const emulator = await faulty({ kind: "silence", when: "connect" });
    const socket = connect(portOf(emulator), "127.0.0.1");
    await once(socket, "connect");
    // Served behind the silent one.
    await list(emulator);
    socket.resetAndDestroy();
    expect((await list(emulator)).status).toBe(200);
  });

  test("a client that disconnects during its request leaves no record", async () => {
    const emulator = await start();
    const socket = connect(portOf(emulator), "127.0.0.1");
    socket.write(createText(emulator).slice(0, -10));
    await once(socket, "connect");
    await list(emulator);
    socket.resetAndDestroy();
    await once(socket, "close");
    await list(emulator);
    expect(emulator.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
    expect(emulator.jobs).toEqual([]);
  });
});

describe("Idle connections:", () => {
  const options = { idleTimeoutMs: 20 };

  test.each([
    ["destroy", 0],
    ["halfClose", 1],
  ] as const)("with %s, a create on the closed connection makes %d jobs, and has no reply", async (idleClose, jobs) => {
    const read = new EventEmitter();
    const emulator = await start({ ...options, idleClose, onRequest: ({ method }) => read.emit(method) });
    const socket = connect({ port: portOf(emulator), host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket.write(createText(emulator).replace(/^POST.*/, "GET /other HTTP/1.1"));
    const reply: unknown[] = await once(socket, "data");
    expect(String(reply[0])).toMatch(/^HTTP\/1.1 404/);
    await once(socket, "end");
    const late = once(read, "POST");
    socket.write(createText(emulator));
    await (idleClose === "halfClose" ? late : list(emulator));
    expect(emulator.jobs).toHaveLength(jobs);
    const posts = emulator.requests.filter(({ method }) => method === "POST");
    expect(posts.map(({ status, job }) => ({ status, job }))).toEqual(
      emulator.jobs.map(({ id }) => ({ status: undefined, job: id })),
    );
    socket.destroy();
  });

  test("a connection whose reply is due is not idle", async () => {
    // The second request must come in time on a busy machine, too; its reply is due for longer than that.
    const emulator = await start({ ...options, idleTimeoutMs: 1000 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await list(emulator, agent);
    emulator.inject({ kind: "delay", ms: 1500 });
    expect((await list(emulator, agent)).status).toBe(200);
    expect(new Set(emulator.requests.map(({ remotePort }) => remotePort)).size).toBe(1);
    agent.destroy();
  });

  test("a request in time keeps the connection open, and no header announces the limit", async () => {
    const emulator = await start({ idleTimeoutMs: 60_000 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect((await list(emulator, agent)).headers["keep-alive"]).toBeUndefined();
    await list(emulator, agent);
    expect(new Set(emulator.requests.map(({ remotePort }) => remotePort)).size).toBe(1);
    agent.destroy();
  });
});

describe("With https,", () => {
  test("the emulator uses the given certificate, and its connections can be reset too", async () => {
    const tls = selfSigned();
    const emulator = await start({ tls });
    expect(emulator.baseUrl).toMatch("https://127.0.0.1:");
    const get = (): Promise<Received> => send(emulator.baseUrl, { token: emulator.token, ca: tls.cert });
    expect((await get()).status).toBe(200);
    emulator.inject({ kind: "reset", when: "connect" });
    expect((await get()).failure).toMatch("ECONNRESET");
    emulator.inject({ kind: "reset" }, { kind: "close" }, { kind: "reset", when: "body" });
    expect((await get()).failure).toBe("ECONNRESET read ECONNRESET");
    expect((await get()).failure).toBe("ECONNRESET socket hang up");
    const cut = await get();
    expect({ status: cut.status, failure: cut.failure }).toEqual({
      status: 200,
      failure: "ECONNRESET read ECONNRESET",
    });
    expect((await get()).status).toBe(200);
  });
});
