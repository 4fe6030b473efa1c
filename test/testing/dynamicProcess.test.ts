import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { resolve } from "node:path";
import { describeWithEngine } from "../support/describeWithEngine.js";
import { createStack } from "../support/engine.js";
import { startProviderProcess, type ProviderProcess } from "../support/providerProcess.js";
import { recordCalls } from "../support/recordings.js";

const handler = `exports.handler = () => {
  let config;
  const fail = (message, rest) => { throw Object.assign(new Error(message), { stack: "" }, rest); };
  return {
    configure: async (req) => { config = req.config; },
    check: async (olds, news) => ({
      inputs: { ...news, setting: config.get("scratch:setting") ?? null, before: olds.size ?? null },
      failures: news.size > 9 ? [{ property: "", reason: "size: at most 9" }] : [],
    }),
    diff: async (id, olds, news) => news.size < 0
      ? fail("size of " + id + " is\\nnegative")
      : { changes: news.size === 0 ? undefined : olds.size !== news.size, replaces: news.kind ? ["kind"] : [], deleteBeforeReplace: !!news.kind },
    create: async (props) => {
      if (props.size === 7) fail("out of stock");
      if (props.size === 8) fail("", { id: "in-doubt", properties: { ...props, made: "perhaps" }, reasons: ["no reply", "look for it"] });
      if (props.connect) await new Promise((resolve) => require("net").connect(props.connect, "127.0.0.1", resolve));
      if (props.hang) { console.error("hanging"); await new Promise(() => {}); }
      if (props.askEngine) {
        const [host, port] = process.argv[2].split(":");
        const socket = require("net").connect(port, host);
        return new Promise((resolve) => socket
          .on("connect", () => resolve({ id: "engine lives", outs: {} })).on("error", () => resolve({ id: "engine is dead", outs: {} })));
      }
      console.log("creating"); console.error("with care");
      return { id: "id-" + props.size, outs: { ...props, list: [1, null, { deep: true }] } };
    },
    read: async (id, props) => id === "broken" ? fail("cannot read") : { id: id + "-seen", props },
    update: async (id, olds, news) => news.size === 8 ? fail("", { id, properties: news, reasons: ["still no reply"] }) : { outs: { ...news, was: olds.size } },
    delete: async (id) => { if (id === "kept") fail("cannot delete"); },
  };
};`;

const props = (values: Record<string, string | number | boolean>) => ({ __provider: handler, ...values });

describe("The provider process harness", () => {
  let provider: ProviderProcess;
  beforeEach(async () => {
    provider = await startProviderProcess();
    await provider.configure({ "scratch:setting": "on" });
  });
  afterEach(() => provider.stop());

  test("carries every call to the provider and its answer back", async () => {
    const [one, two] = [props({ size: 1 }), props({ size: 2 })];
    expect(await provider.check({ olds: one, news: two })).toEqual({
      inputs: { ...two, setting: "on", before: 1 },
      failures: [],
    });
    const created = await provider.create(one);
    const saved = { ...one, list: [1, null, { deep: true }] };
    expect(created).toEqual({ kind: "ok", id: "id-1", properties: saved });
    expect(await provider.read({ id: "id-1", props: saved })).toEqual({ id: "id-1-seen", properties: saved });
    expect(await provider.update({ id: "id-1", olds: saved, news: two })).toEqual({
      kind: "ok",
      properties: { ...two, was: 1 },
    });
    await expect(provider.delete({ id: "id-1", props: saved })).resolves.toBeUndefined();
  });

  test("tells apart a change, no change and an engine that shall compare", async () => {
    const diff = (olds: number, news: number) =>
      provider.diff({ id: "a", olds: props({ size: olds }), news: props({ size: news }) });
    expect(await diff(1, 2)).toEqual({ changes: true, replaces: [], deleteBeforeReplace: false });
    expect(await diff(1, 1)).toEqual({ changes: false, replaces: [], deleteBeforeReplace: false });
    expect(await diff(1, 0)).toEqual({ changes: undefined, replaces: [], deleteBeforeReplace: false });
    expect(await provider.diff({ id: "a", olds: props({}), news: props({ size: 1, kind: "x" }) })).toEqual({
      changes: true,
      replaces: ["kind"],
      deleteBeforeReplace: true,
    });
  });

  test("hands over the provider's own words when a call fails", async () => {
    const inputs = props({ size: 10 });
    const { failures } = await provider.check({ olds: props({}), news: inputs });
    expect(failures).toEqual([{ property: "", reason: "size: at most 9" }]);
    expect(await provider.diff({ id: "a", olds: inputs, news: props({ size: -1 }) })).toEqual({
      error: "size of a is\nnegative",
    });
    expect(await provider.create(props({ size: 7 }))).toEqual({ kind: "error", message: "out of stock" });
    await expect(provider.read({ id: "broken", props: inputs })).rejects.toThrow("cannot read");
    await expect(provider.delete({ id: "kept", props: inputs })).rejects.toThrow("cannot delete");
  });

  test("decodes a resource that is recorded although its create or update failed", async () => {
    const inputs = props({ size: 8 });
    expect(await provider.create(inputs)).toEqual({
      kind: "initFailed",
      id: "in-doubt",
      properties: { ...inputs, made: "perhaps" },
      reasons: ["no reply", "look for it"],
    });
    expect(await provider.update({ id: "in-doubt", olds: inputs, news: inputs })).toEqual({
      kind: "initFailed",
      id: "in-doubt",
      properties: inputs,
      reasons: ["still no reply"],
    });
  });

  test("keeps what the provider prints, without the port", async () => {
    await provider.create(props({ size: 1 }));
    await provider.stop();
    expect([provider.stdout(), provider.stderr()]).toEqual(["creating\n", "with care\n"]);
  });

  test("lets the engine die", async () => {
    expect(await provider.create(props({ askEngine: true }))).toMatchObject({ id: "engine lives" });
    await provider.closeEngine();
    expect(await provider.create(props({ askEngine: true }))).toMatchObject({ id: "engine is dead" });
  });

  test("ends a call with an error when its process is killed", async () => {
    const { port, connected } = await listenOnce();
    const created = provider.create(props({ connect: port, hang: true }));
    await connected;
    provider.kill("SIGKILL");
    expect(await created).toMatchObject({ kind: "error" });
  });
});

describe("A provider process", () => {
  const built = JSON.stringify(resolve(__dirname, "../../provider/dist/testing/dynamicProcess.js"));
  const startParent = (then: string) =>
    spawn(process.execPath, ["-e", `require(${built}).startDynamicProcess().then(async (provider) => {${then}});`], {
      stdio: ["ignore", "ignore", "inherit"],
    });

  test("ends with its parent, even when that is killed", async () => {
    const { port, connected } = await listenOnce();
    const parent = startParent(`provider.create(${JSON.stringify(props({ connect: port, hang: true }))});`);
    const socket = await connected;
    parent.kill("SIGKILL");
    await once(socket.resume(), "close");
  });

  test("does not keep its parent alive", async () => {
    const parent = startParent(`await provider.create(${JSON.stringify(props({ size: 1 }))});`);
    expect(await once(parent, "exit")).toEqual([0, null]);
  });
});

/** A server for one connection: its close is the death of the process at the other end. */
async function listenOnce(): Promise<{ port: number; connected: Promise<Socket> }> {
  const server = createServer().unref();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const connected = new Promise<Socket>((resolve) => {
    server.once("connection", (socket) => {
      server.close();
      resolve(socket.on("error", () => undefined));
    });
  });
  return { port: address.port, connected };
}

const program = (size: number) => `
  const pulumi = require("@pulumi/pulumi");
  class Scratch extends pulumi.CustomResource {}
  const name = "pulumi-nodejs:dynamic/scratch:Scratch";
  new Scratch(name, "a", { size: ${size}, __provider: ${JSON.stringify(handler)} });`;

describeWithEngine("The engine harness", () => {
  test("drives a stack of its own through its whole life", async () => {
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

  test("leaves no process behind when a test ends in the middle of a command", async () => {
    const { port, connected } = await listenOnce();
    const stack = await createStack({ program: program(1).replace("size: 1", `connect: ${port}, hang: true`) });
    const up = stack.spawn(["up", "--yes", "--skip-preview"]);
    const provider = await connected;
    await Promise.all([once(provider.resume(), "close"), stack.dispose()]);
    expect((await up.finished).exitCode).not.toBe(0);
    expect(existsSync(stack.folder)).toBe(false);
  });

  test("lets a test interrupt a command at a line of its output", async () => {
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
