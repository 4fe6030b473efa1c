import { once } from "node:events";
import { connect } from "node:net";
import { createText, faulty, list, portOf, start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { RequestWatch } from "../support/requestWatch.js";

afterEach(stopAll);

// This test runs first, so that no connection of another test is still closing.
describe("Stopping an emulator", () => {
  test("can be repeated, frees the port, and leaves nothing open", async () => {
    const open = (kind: string): number =>
      process.getActiveResourcesInfo().filter((resource) => resource.startsWith(kind)).length;
    const timers = open("Timeout");
    const faults: TestFault[] = [{ kind: "silence" }, { kind: "delay", seconds: 60, times: 9 }];
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
  /** How much of a reply was received. */
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

  const broken = [...phases, [undefined, "nothing", 1] as const].flatMap(([when, received, read]) => [
    { kind: "reset", when, received, ended: "RST", read } as const,
    { kind: "close", when, received, ended: "FIN", read } as const,
  ]);
  test.each(broken)("a $kind at $when is a $ended after $received", async ({ kind, when, received, ended, read }) => {
    const emulator = await faulty({ kind, when });
    const seen = await sendBytes(emulator.baseUrl, createText(emulator));
    expect({ received: progress(seen.text), ended: seen.ended }).toEqual({ received, ended });
    const status = received === "nothing" ? undefined : 200;
    expect(emulator.requests).toMatchObject(Array(read).fill({ fault: kind, status }));
    expect(emulator.jobs).toEqual([]);
    expect((await list(emulator)).status).toBe(200);
  });
});

test("A client that disconnects during its request leaves no record", async () => {
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

describe("Idle connections:", () => {
  test.each([
    ["destroy", 0],
    ["halfClose", 1],
  ] as const)("with %s, a create on the closed connection makes %d jobs, and has no reply", async (idleClose, jobs) => {
    const watch = new RequestWatch();
    const emulator = await start({ idleTimeoutMs: 20, idleClose, onRequest: watch.onRequest });
    const posts = () => emulator.requests.filter(({ method }) => method === "POST");
    const socket = connect({ port: portOf(emulator), host: "127.0.0.1", allowHalfOpen: true });
    socket.on("error", () => undefined);
    socket.write(createText(emulator).replace(/^POST.*/, "GET /other HTTP/1.1"));
    const reply: unknown[] = await once(socket, "data");
    expect(String(reply[0])).toMatch(/^HTTP\/1.1 404/);
    await once(socket, "end");
    socket.write(createText(emulator));
    await (idleClose === "halfClose" ? watch.until(() => posts().length > 0) : list(emulator));
    expect(emulator.jobs).toHaveLength(jobs);
    expect(posts().map(({ status, job }) => ({ status, job }))).toEqual(
      emulator.jobs.map(({ id }) => ({ status: undefined, job: id })),
    );
    socket.destroy();
  });
});

/** Writes text to a port. Resolves, once the connection is over, with what came back and how the connection ended. */
async function sendBytes(baseUrl: string, text: string): Promise<{ text: string; ended: "FIN" | "RST" | "open" }> {
  return await new Promise((resolve) => {
    let received = "";
    let ended: "FIN" | "RST" | "open" = "open";
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => (received += chunk.toString("latin1")));
    socket.once("end", () => (ended = "FIN"));
    socket.on("error", () => (ended = "RST"));
    socket.once("close", () => {
      resolve({ text: received, ended });
    });
  });
}
