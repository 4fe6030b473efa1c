import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { startProviderProcess, type ProviderProcess } from "../support/providerProcess.js";
import { props } from "../support/scratchProvider.js";
import { listenOnce } from "../support/servers.js";

describe("A dynamic provider process", () => {
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

  test("distinguishes a change, no change, and a diff that is left to the engine", async () => {
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

  test("returns the provider's own message when a call fails", async () => {
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
      id: "unconfirmed",
      properties: { ...inputs, made: "perhaps" },
      reasons: ["no reply", "look for it"],
    });
    expect(await provider.update({ id: "unconfirmed", olds: inputs, news: inputs })).toEqual({
      kind: "initFailed",
      id: "unconfirmed",
      properties: inputs,
      reasons: ["still no reply"],
    });
  });

  test("keeps what the provider prints, without the port", async () => {
    await provider.create(props({ size: 1 }));
    await provider.stop();
    expect([provider.stdout(), provider.stderr()]).toEqual(["creating\n", "with care\n"]);
  });

  test("shows the provider when its engine has died", async () => {
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

describe("The process itself", () => {
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
