import { AccountClients } from "../../provider/src/client/accountClient.js";
import { Settings, stackConfiguration } from "../../provider/src/config/index.js";
import { cachingJob } from "../../provider/src/jobs/index.js";
import { Run } from "../../provider/src/lifecycle/run.js";
import type { CreateNote } from "../../provider/src/lifecycle/ownState.js";
import { declaration } from "../support/declaration.js";
import { identityFor } from "../../provider/src/hosts/dynamic/identity.js";
import { orders } from "../support/all/declarations.js";
import { urnIn } from "../support/all/hosts.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { CREATE, JOBS, start, stopAll } from "../support/emulated.js";
import { resending } from "../support/resending.js";
import { FastClock } from "../support/fastClock.js";

afterEach(stopAll);

/** A create in mode `all`, with what happens to its note. */
async function noting(isAlive: (log: readonly string[]) => boolean = () => true) {
  const clock = new FastClock();
  const log: string[] = [];
  const isEngineAlive = () => Promise.resolve(isAlive(log));
  const service = await start({ now: clock.now, onRequest: ({ method, path }) => void log.push(`${method} ${path}`) });
  const { baseUrl, token } = service;
  const config: Readonly<Record<string, string>> = { baseUrl, token, jobOperations: "all" };
  const settings = new Settings({ get: (key) => config[key.replace("data-connectivity:", "")] }, {});
  const clients = new AccountClients(settings, { isEngineAlive, report: () => undefined, clock });
  const noted: string[] = [];
  const createNotes = {
    begin: ({ at }: CreateNote) => {
      log.push("begin");
      noted.push(at);
    },
    end: () => {
      log.push("end");
    },
    keep: () => {
      log.push("keep");
    },
    settle: () => undefined,
  };
  const run = new Run({ clients, failure: (message) => new Error(message), createNotes });
  const resource = {
    ...{ kind: cachingJob, label: "x", words: stackConfiguration, key: "x", urn: "urn:x" },
    ...{ declared: declaration, isPlain: () => true },
  };
  return { service, log, noted, create: () => run.create(resource) };
}

test("The note of a create stays as long as the create's job is looked for, and then until the process ends", async () => {
  const { service, log, create } = await noting();
  service.inject({ kind: "reset", on: "create" }, { kind: "reply", status: 404, on: "list", after: 1, times: -1 });
  await create();
  // An onError hook may repeat the create for minutes before the engine records it.
  expect(log.at(-1)).toBe("keep");
  expect(log).not.toContain("end");
  expect(log.lastIndexOf(`GET ${JOBS}`)).toBeGreaterThan(log.indexOf("begin"));
});

test("The note of a create stays if the engine is gone by the reply, though it lived when the request left", async () => {
  const { log, create } = await noting((seen) => !seen.some((line) => line.startsWith("POST")));
  await create();
  expect(log.slice(log.indexOf("begin"))).toEqual(["begin", `POST ${CREATE}`]);
});

test("A create that waits for the rate limit has no note: only a request in flight has one", async () => {
  const { service, log, create } = await noting();
  service.inject({ kind: "reply", status: 429, on: "create", headers: { "retry-after": "300" } });
  await create();
  expect(log.filter((line) => line === "begin" || line === "end" || line.startsWith("POST"))).toEqual(
    ["begin", "POST", "end", "begin", "POST", "end"].map((line) => expect.stringMatching(line) as unknown),
  );
});

test("The note of a create has the time of its newest try, as the state records it", async () => {
  const { service, noted, create } = await noting();
  service.inject({ kind: "reply", status: 429, on: "create", headers: { "retry-after": "300" } });
  const { state } = await create();
  expect(noted).toHaveLength(2);
  expect(state.origin.at).toBe(noted[1]);
});

test.each(["additionalParams", "params"])("A secret in %s is not written into the note of a create", async (member) => {
  const hidden = "HUSH_HUSH";
  const declared =
    member === "params"
      ? { ...declaration, params: { ...declaration.params, timeCheckColumn: hidden } }
      : { ...declaration, additionalParams: { password: hidden } };
  // As the class passes a program's secret.
  const orders = { ...declared, __resource: { ...identityFor("orders", declared, [member]) } };
  const { stack, emulator, use } = await fastStack({ jobOperations: "create" });
  const createNotes = new MemoryNotes();
  use({ jobOperations: "create" }, emulator, { createNotes });
  await stack.up({ orders });
  expect(createNotes.begun).toHaveLength(1);
  expect(JSON.stringify(createNotes.begun)).not.toContain(hidden);
});

test("A killed create may be in flight for as long as the settings said with which it was sent", async () => {
  const { stack, emulator, clock, use } = await fastStack({ timeoutSeconds: 900 });
  const createNotes = new MemoryNotes();
  stack.savedAt = clock.now() - 1000;
  use({ timeoutSeconds: 900 }, emulator, { createNotes, command: upCommand });
  await stack.up({ orders });
  stack.state.clear();
  for (const begun of createNotes.begun) createNotes.leave(begun);
  for (const { id } of emulator.jobs) emulator.removeJob(id);
  clock.pass(150_000);
  use({ timeoutSeconds: 60 }, emulator, { createNotes, command: upCommand });
  expect(await stack.up({ orders })).toMatchObject(did("failed", "Wait until "));
  clock.pass(830_000);
  use({ timeoutSeconds: 60 }, emulator, { createNotes, command: upCommand });
  expect(await stack.up({ orders })).toMatchObject(did("created", "the list of jobs has no job from it"));
});

describe("With a lower timeoutSeconds than the one that it was sent with,", () => {
  const waitingLong = { timeoutSeconds: 900 };
  const waitingShort = { timeoutSeconds: 60 };

  test.each(["create", "all"])("a lost create in mode %s waits as long as before", async (jobOperations) => {
    const { stack, emulator, clock, use, posts } = await fastStack({ jobOperations, ...waitingLong });
    use({ jobOperations, ...waitingLong }, emulator, { command: upCommand });
    emulator.inject({ kind: "reset", on: "create", processed: false });
    await stack.up({ orders });
    stack.savedAt = clock.now();
    clock.pass(150_000);
    const env = jobOperations === "create" ? resending(clock.now() + 1000, urnIn(orders)) : {};
    use({ jobOperations, ...waitingShort }, emulator, { command: upCommand, env });
    await stack.up({ orders });
    expect(posts()).toBe(1);
  });

  test("a killed create that a run has recorded waits as long as that run said", async () => {
    const { stack, emulator, clock, use, posts } = await fastStack({ timeoutSeconds: 600 });
    stack.pending.set("orders", orders);
    const later = (ms: number, timeoutSeconds: number) => {
      stack.savedAt = clock.now();
      clock.pass(ms);
      use({ timeoutSeconds }, emulator, { command: upCommand });
    };
    later(60_000, 600);
    expect((await stack.up({ orders })).steps).toEqual({ orders: "recorded" });
    later(13 * 60_000, 30);
    await stack.up({ orders });
    expect(posts()).toBe(0);
  });

  test("a killed resend that a run has recorded waits as long as before", async () => {
    const { stack, emulator, clock, use, posts } = await fastStack(waitingLong);
    const createNotes = new MemoryNotes();
    const later = (ms: number, config: typeof waitingLong) => {
      stack.savedAt = clock.now();
      clock.pass(ms);
      use(config, emulator, { createNotes, command: upCommand });
    };
    later(1000, waitingLong);
    emulator.inject({ kind: "reset", on: "create", processed: false });
    await stack.up({ orders });
    const recorded = stack.state.get("orders");
    later(1_000_000, waitingLong);
    await stack.up({ orders });
    // It was killed before its request arrived.
    const [note] = createNotes.begun.slice(-1);
    if (recorded === undefined || note === undefined) throw new Error("Nothing was recorded.");
    stack.state.set("orders", recorded);
    createNotes.leave(note);
    for (const { id } of emulator.jobs) emulator.removeJob(id);
    later(60_000, waitingShort);
    await stack.up({ orders });
    later(100_000, waitingShort);
    await stack.up({ orders });
    expect(posts()).toBe(2);
  });
});
