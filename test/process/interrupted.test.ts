import { items } from "../support/all/declarations.js";
import { startHost } from "../support/all/hosts.js";
import { leaveRunning } from "../support/credentialsCommand.js";
import { deferred } from "../support/deferred.js";
import { startPlugin } from "../support/driver/process.js";
import { posts, start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { inputs } from "../support/plugin/inputs.js";
import { RequestWatch } from "../support/requestWatch.js";
import { temporaryFolder } from "../support/temporaryFolder.js";

afterEach(stopAll);
const temporary = temporaryFolder();

const cancelled = deferred();

// scenarios/interrupted.ts has the engine's own Ctrl-C. The classes' host is not told of it.
test.each<[string, TestFault, RegExp | undefined]>([
  ["records the one in flight", { kind: "delay", seconds: 0, until: cancelled.promise }, undefined],
  ["records it as unconfirmed where no answer comes", { kind: "silence", processed: true }, /recorded as unconfirmed-/],
])("A plugin that the engine cancels sends no create that waits, and %s", async (_what, fault, recorded) => {
  const watch = new RequestWatch();
  const { baseUrl, token, requests } = await start({
    faults: [{ ...fault, on: "create" }],
    onRequest: watch.onRequest,
  });
  const plugin = await startPlugin({ baseUrl, token, timeoutSeconds: 3 });
  const answers = ["ORDERS", "ITEMS", "SALES"].map((name) =>
    plugin.create(name, inputs(name)).then(() => "created", String),
  );
  await watch.until(() => posts(requests) === 1);
  await plugin.cancel();
  cancelled.resolve();
  const unsent = "The run was cancelled. No job was created: the create was not sent.";
  const [sent = "", ...others] = (await Promise.all(answers)).filter((text) => !text.includes(unsent));
  expect(sent).toMatch(recorded ?? /^created$/);
  expect([others, posts(requests)]).toEqual([[], 1]);
});

test.each(["plugin", "dynamic"] as const)(
  "The end of a run leaves a process of the credentialsCommand alone: %s",
  async (host) => {
    const emulator = await start();
    const left = leaveRunning(temporary(), ">/dev/null 2>&1", emulator.token);
    const config = { baseUrl: emulator.baseUrl, credentialsCommand: left.command, jobOperations: "all" };
    const provider = await startHost(host, config);
    expect(await provider.create(items)).toMatchObject({ kind: "ok" });
    provider.process.kill("SIGTERM");
    await provider.process.ended;
    expect(await left.answer()).toBe("alive");
  },
);
