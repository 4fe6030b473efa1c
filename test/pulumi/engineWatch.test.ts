import { engineAddress, engineWatch } from "../../provider/src/hosts/engine.js";
import { stopAll } from "../support/emulated.js";
import { startFakeEngine } from "../support/driver/process.js";

afterEach(stopAll);

/** The engine passes flags before its address, whatever options the engine was started with. */
test.each<[what: string, flags: string[]]>([
  ["nothing else", []],
  ["--logflow -v=3", ["-v=3"]],
  ["--logflow --logtostderr -v=9", ["--logtostderr", "-v=9"]],
  ["--tracing", ["--tracing", "http://127.0.0.1:1"]],
  ["all of them", ["--logtostderr", "-v=3", "--tracing", "tcp://127.0.0.1:1"]],
])("An engine that was started with %s is watched at its own address", async (_what, flags) => {
  const engine = await startFakeEngine();
  const args = [...flags, engine.address];
  expect(await engineWatch(engineAddress(args))()).toBe(true);
  engine.kill();
  expect(await engineWatch(engineAddress(args))()).toBe(false);
});

test.each([[[]], [["-v=3"]], [["engine.sock"]]])(
  "Without an address (%j) nothing is refused",
  async (args: string[]) => {
    expect(await engineWatch(engineAddress(args))()).toBe(true);
  },
);
