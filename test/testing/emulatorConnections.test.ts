import { once } from "node:events";
import { connect } from "node:net";
import { createText, list, portOf, start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";

afterEach(stopAll);

// This test runs first, so that no connection of another test is still closing.
describe("Stopping an emulator", () => {
  test("can be repeated, frees the port, and leaves nothing open", async () => {
    const open = (kind: string): number =>
      process.getActiveResourcesInfo().filter((resource) => resource.startsWith(kind)).length;
    const timers = open("Timeout");
    const faults: TestFault[] = [{ kind: "silence" }, { kind: "delay", ms: 60_000, times: 9 }];
    const emulator = await start({ faults, idleTimeoutMs: 60_000 });
    const waiting = Array.from({ length: 10 }, () => {
      const socket = connect(portOf(emulator), "127.0.0.1").on("error", () => undefined);
      socket.write(createText(emulator));
      return new Promise((resolve) => socket.once("close", resolve));
    });
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
