import { once } from "node:events";
import { existsSync } from "node:fs";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { createStack } from "../support/engine.js";
import { recordCalls } from "../support/recordings.js";
import { handler } from "../support/scratchProvider.js";
import { listenOnce } from "../support/servers.js";

const program = (size: number) => `
  const pulumi = require("@pulumi/pulumi");
  class Scratch extends pulumi.CustomResource {}
  const name = "pulumi-nodejs:dynamic/scratch:Scratch";
  new Scratch(name, "a", { size: ${size}, __provider: ${JSON.stringify(handler)} });`;

describeWithEngine("A stack of the tests", () => {
  test("goes through its whole life: preview, up, refresh, import and destroy", async () => {
    const stack = await createStack({ program: program(1), config: { "scratch:setting": { secret: "on" } } });
    try {
      expect(await stack.preview()).toMatchObject({ exitCode: 0 });
      const first = await recordCalls(stack, ["up", "--yes", "--skip-preview"]);
      expect(first.result.output).toContain("2 created");
      expect(first.calls.map(({ process, method, name }) => ({ process, method, name }))).toEqual([
        { process: 1, method: "configure", name: undefined },
        { process: 1, method: "check", name: "a" },
        { process: 1, method: "create", name: "a" },
      ]);
      expect(first.calls[0]?.config).toEqual({ "scratch:setting": "on" });
      expect(first.calls[2]?.response).toMatchObject({ id: "id-1", properties: { size: 1, setting: "on" } });

      stack.setProgram(program(7));
      const second = await recordCalls(stack, ["up", "--yes"]);
      expect(second.calls.map(({ process, method, id }) => `${process} ${method} ${id ?? ""}`.trim())).toEqual([
        ...["1 configure", "1 check", "1 diff id-1"],
        ...["2 configure", "2 check", "2 diff id-1", "2 update id-1"],
      ]);
      const state = await stack.exportState();
      expect(state.deployment.resources.find(({ id }) => id === "id-1")?.outputs).toMatchObject({ size: 7, was: 1 });

      expect(await stack.refresh()).toMatchObject({ exitCode: 0 });
      expect(JSON.stringify(await stack.exportState())).toContain("id-1-seen");
      await stack.importState(state);
      expect(JSON.stringify(await stack.exportState())).not.toContain("id-1-seen");
      expect(await stack.destroy()).toMatchObject({ exitCode: 0 });
      expect((await stack.exportState()).deployment.resources).toEqual([]);
    } finally {
      await stack.dispose();
    }
  });

  test("leaves no process behind when a test ends during a command", async () => {
    const { port, connected } = await listenOnce();
    const stack = await createStack({ program: program(1).replace("size: 1", `connect: ${port}, hang: true`) });
    const up = stack.spawn(["up", "--yes", "--skip-preview"]);
    const provider = await connected;
    await Promise.all([once(provider.resume(), "close"), stack.dispose()]);
    expect((await up.finished).exitCode).not.toBe(0);
    expect(existsSync(stack.folder)).toBe(false);
  });

  test("can be interrupted at a line of the command's output", async () => {
    const { port, connected } = await listenOnce();
    const stack = await createStack({ program: program(1).replace("size: 1", `connect: ${port}, hang: true`) });
    try {
      const up = stack.spawn(["up", "--yes", "--skip-preview"]);
      await Promise.all([up.outputMatches(/hanging/), connected]);
      up.kill("SIGINT");
      await up.outputMatches(/cancel/);
      up.kill("SIGINT");
      expect((await up.finished).exitCode).not.toBe(0);
      const { pending_operations: pending } = (await stack.exportState()).deployment;
      expect(pending).toMatchObject([{ type: "creating" }]);
    } finally {
      await stack.dispose();
    }
  });
});
