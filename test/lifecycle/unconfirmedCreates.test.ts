import { secretSignature, signature } from "../../provider/src/hosts/engineNames.js";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { cachingBody, cachingInputs, orders, queryBody, queryInputs } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { MemoryNotes } from "../support/all/memoryNotes.js";
import { upCommand } from "../support/all/runOptions.js";
import { FastClock } from "../support/fastClock.js";
import { matching, saying } from "../support/matchers.js";
import { PARAMS, posts, start, stopAll } from "../support/emulated.js";
import { resending } from "../support/resending.js";
import { urnIn } from "../support/all/hosts.js";

afterEach(stopAll);

const options = { serial: true, continueOnError: true };
type Place = Awaited<ReturnType<typeof fastStack>>;

/** A run whose CLI is killed after the service made the job: only the engine's pending operation is left. */
async function kill({ stack, clock }: Place, declared: Declaration = orders, inState = declared) {
  stack.savedAt = clock.now();
  await stack.up({ orders: declared }, options);
  stack.state.delete("orders");
  stack.pending.set("orders", inState);
}

/** The same on this machine, where the note of the create is left too. */
async function killHere(place: Place, declared: Declaration = orders) {
  const notes = new MemoryNotes();
  place.use({}, place.emulator, { createNotes: notes });
  await kill(place, declared);
  const [sent] = notes.begun;
  if (sent === undefined) throw new Error("The create had no note.");
  notes.leave(sent);
  return notes;
}

const credentials = ({ baseUrl, token }: Place["emulator"]) => ({ baseUrl, token });
const encrypted = { [signature]: secretSignature, ciphertext: "v1:made up" };
const adoptMatching = { env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" } };

/** A command, after which the engine writes the state. */
async function saving({ stack, clock }: Place, command: Promise<unknown>) {
  await command;
  stack.savedAt = clock.now();
}

/** Somebody makes a job of the source now. It is neither recorded as the create's nor deleted. */
async function expectLeftAlone({ stack, emulator, clock }: Place, said = "A job for this source exists already:") {
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  clock.pass(3_600_000);
  const { steps, text } = await stack.up({ orders }, options);
  expect(steps).toEqual({ orders: "failed" });
  expect(text).toContain(said);
  await stack.up({}, options);
  expect(emulator.jobs).toMatchObject([{ id }]);
}

const onlyYouCanTell = "could be from this create: only you can tell";
/** The time that a message names. */
const untilIn = (text: string) => /Wait until (\S+Z)/.exec(text)?.[1];

describe("The create of a killed run of this machine", () => {
  test("is not sent again as long as it may be in flight, and its job is recorded once it shows", async () => {
    const place = await fastStack({}, { lagMs: 15_000 });
    const { stack, emulator, clock } = place;
    const [sent] = (await killHere(place)).ofEarlierRuns();
    clock.pass(3000);
    const { text, steps } = await stack.up({ orders }, options);
    expect(steps).toEqual({ orders: "failed" });
    expect(Date.parse(untilIn(text) ?? "")).toBe((sent?.sentMs ?? 0) + 120_000);
    expect(posts(emulator.requests)).toBe(1);
    clock.pass(20_000);
    expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
    expect(emulator.jobs).toHaveLength(1);
  });

  test("is not sent again as long as it may be in flight, even if the run adopts what matches", async () => {
    const place = await fastStack({}, { lagMs: 15_000 });
    const { stack, emulator, clock, use } = place;
    const createNotes = await killHere(place);
    use({}, emulator, { ...adoptMatching, createNotes });
    clock.pass(3000);
    const said = "may still be on its way. Wait until";
    expect(await stack.preview({ orders }, options)).toMatchObject(did("failed", said));
    expect(await stack.up({ orders }, options)).toMatchObject(did("failed", said));
    expect(posts(emulator.requests)).toBe(1);
    clock.pass(20_000);
    expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
    expect(emulator.jobs).toHaveLength(1);
  });

  test("is sent again two minutes later if it made no job", async () => {
    const place = await fastStack();
    const { stack, emulator, clock } = place;
    await killHere(place);
    emulator.removeJob(emulator.jobs[0]?.id ?? "");
    clock.pass(110_000);
    expect(await stack.up({ orders }, options)).toMatchObject(did("failed", "until"));
    clock.pass(20_000);
    expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
    expect(emulator.jobs).toHaveLength(1);
  });

  test("gets no job that somebody made long after it, although the engine still keeps its pending operation", async () => {
    const place = await fastStack();
    const { stack, emulator, clock } = place;
    await killHere(place);
    await saving(place, stack.up({ orders }, options));
    await saving(place, stack.up({}, options));
    expect(emulator.jobs).toEqual([]);
    clock.pass(3_600_000);
    await expectLeftAlone(place, onlyYouCanTell);
  });

  test("is not resent by the user's command before it can no longer be in flight: mode create", async () => {
    const place = await fastStack();
    const { stack, emulator, clock, use } = place;
    const createNotes = await killHere(place);
    const resendNow = () => {
      use({ jobOperations: "create" }, emulator, {
        createNotes,
        env: resending(clock.now() + 1000, urnIn(orders)),
      });
    };
    clock.pass(60_000);
    resendNow();
    expect(await stack.up({ orders }, options)).toMatchObject(did("failed", "may still be on its way. Wait until"));
    expect(posts(emulator.requests)).toBe(1);
    clock.pass(70_000);
    resendNow();
    expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
    expect(posts(emulator.requests)).toBe(2);
  });

  test("is found under the stack's old name, and its job is never taken without asking", async () => {
    const place = await fastStack();
    const { stack, emulator } = place;
    const notes = await killHere(place);
    const [sent] = notes.ofEarlierRuns();
    stack.pending.clear();
    if (sent === undefined) throw new Error("no note");
    notes.remove(sent);
    notes.leave({ ...sent, urn: sent.urn.replace("urn:pulumi:test", "urn:pulumi:old") });
    const said = /of the stack \w+ .* under way, or a run was killed[^]*only you can tell/;
    expect(await stack.up({ orders }, options)).toMatchObject(did("failed", matching(said)));
    place.use({ jobOperations: "create" }, emulator, { createNotes: notes });
    const { messages } = await stack.up({ orders }, options);
    expect(messages["orders"]).toMatch(/of the stack \w+ .* under way, or a run was killed/);
    expect(posts(emulator.requests)).toBe(1);
  });

  test("is known although the state cannot be read", async () => {
    const place = await fastStack();
    const { stack, emulator } = place;
    const createNotes = await killHere(place);
    const exportStack = () => Promise.reject(new Error("no stack"));
    place.use({ jobOperations: "create" }, emulator, { createNotes, exportStack });
    const said = "its create is unconfirmed: a run was killed in it at";
    expect(await stack.up({ orders }, options)).toMatchObject(did("failed", said));
    expect(posts(emulator.requests)).toBe(1);
  });
});

describe.each(["create", "all"])(
  "The create of which only the engine's pending operation tells, in mode %s",
  (mode) => {
    const killed = async (service?: Parameters<typeof fastStack>[1]) => {
      const place = await fastStack({ jobOperations: mode }, service);
      await kill(place);
      return place;
    };

    test("is recorded by the first up, and a run in between does not move the time that the messages name", async () => {
      const place = await killed();
      const { stack, emulator, clock } = place;
      emulator.removeJob(emulator.jobs[0]?.id ?? "");
      clock.pass(180_000);
      const first = await stack.up({ orders }, options);
      expect(first.steps).toEqual({ orders: "recorded" });
      const until = untilIn(first.text);
      expect(Date.parse(until ?? "") - clock.now()).toBeGreaterThan(11 * 60_000);
      stack.savedAt = clock.now();
      clock.pass(360_000);
      const second = await stack.up({ orders }, options);
      stack.savedAt = clock.now();
      expect([second.steps, untilIn(second.text)]).toEqual([{ orders: "failed" }, until]);
      expect(posts(emulator.requests)).toBe(1);
      clock.pass(400_000);
      const resend = { env: resending(clock.now() + 1000, urnIn(orders)) };
      place.use({ jobOperations: mode }, emulator, mode === "create" ? resend : {});
      expect(await stack.up({ orders }, options)).toMatchObject(did("updated"));
      expect(emulator.jobs).toHaveLength(1);
    });

    test("is not resent by the user's command before it can no longer be in flight", async () => {
      const { stack, emulator, clock, use } = await killed();
      const resendNow = () => {
        use({ jobOperations: mode }, emulator, { env: resending(clock.now() + 1000, urnIn(orders)) });
      };
      emulator.removeJob(emulator.jobs[0]?.id ?? "");
      for (const passedMs of [60_000, 60_000]) {
        clock.pass(passedMs);
        resendNow();
        expect(await stack.up({ orders }, options)).toMatchObject({
          text: saying("may still be on its way. Wait until"),
        });
      }
      expect(posts(emulator.requests)).toBe(1);
    });

    test("is refused in a preview, with the words for a run that may be alive, and without a command", async () => {
      const { stack, emulator, use } = await killed();
      const preview = { name: "preview", holdsLock: false, clearsPendingCreates: false } as const;
      use({ jobOperations: mode }, emulator, { command: preview });
      const { messages } = await stack.preview({ orders }, options);
      expect(messages["orders"]).toContain("is under way, or a run was killed in it");
      expect(messages["orders"]).toContain("First see whether a run of this stack is still going");
      expect(messages["orders"]).not.toMatch(/RESEND_UNCONFIRMED|clear-pending/);
    });

    test("does not stop the preview of up, which records it", async () => {
      const { stack, emulator, use } = await killed();
      use({ jobOperations: mode }, emulator, { command: upCommand });
      const preview = await stack.preview({ orders }, options);
      expect(preview).toMatchObject({ failed: false, text: saying("records the create as unconfirmed") });
      expect(await stack.up({ orders }, options)).toMatchObject(did("recorded"));
    });

    test("is over an hour after the state was written, whatever the other machine's clock", async () => {
      const { stack, emulator, clock, use } = await killed();
      // The other machine's clock is 20 minutes late.
      stack.savedAt = clock.now() - 1_200_000;
      emulator.removeJob(emulator.jobs[0]?.id ?? "");
      expect(await stack.up({ orders }, options)).toMatchObject(did("recorded"));
      stack.state.delete("orders");
      clock.pass(2 * 3_600_000);
      const env = resending(clock.now() + 1000, urnIn(orders));
      use({ jobOperations: mode }, emulator, mode === "create" ? { env } : {});
      expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
      expect(emulator.jobs).toHaveLength(1);
    });
  },
);

describe("The create of which only the engine's pending operation tells", () => {
  test.each([0, -1_200_000, 600_000])(
    "leaves its job to the user: nothing tells its age (clock %d)",
    async (lateMs) => {
      const place = await fastStack();
      const { stack, emulator, clock } = place;
      await kill(place);
      stack.savedAt = clock.now() + lateMs;
      const { steps, text } = await stack.up({ orders }, options);
      expect(steps).toEqual({ orders: "recorded" });
      expect(text).toContain(onlyYouCanTell);
      expect(text).not.toContain("records the job");
      clock.pass(1_200_000);
      expect(await stack.up({ orders }, options)).toMatchObject(did("failed", onlyYouCanTell));
      const existingJobId = emulator.jobs[0]?.id;
      expect(await stack.up({ orders: { ...orders, existingJobId } }, options)).toMatchObject(did("updated"));
      expect(posts(emulator.requests)).toBe(1);
    },
  );

  test("is not sent again if its declaration has a secret, which the state keeps encrypted", async () => {
    const place = await fastStack();
    const { stack, emulator, clock } = place;
    const query = queryInputs("orders", { query: "SELECT 1" });
    await kill(place, query, { ...query, params: { query: encrypted } });
    clock.pass(20 * 60_000);
    expect(await stack.up({ orders: query }, options)).toMatchObject(
      did("recorded", `Job ${emulator.jobs[0]?.id} at the service could be from this create`),
    );
    expect(posts(emulator.requests)).toBe(1);
  });

  test("has its job shown if its source has a secret", async () => {
    const place = await fastStack();
    await kill(place, orders, { ...orders, params: { ...PARAMS, sourceTable: encrypted } });
    expect(await place.stack.up({ orders }, options)).toMatchObject(did("recorded", onlyYouCanTell));
    expect(posts(place.emulator.requests)).toBe(1);
  });

  test("is not looked for in another account than its own", async () => {
    const there = await start();
    const place = await fastStack();
    const { stack, emulator, clock, use } = place;
    use({ accounts: { eu: credentials(emulator), us: credentials(there) } });
    await kill(place, { ...orders, account: "eu" });
    clock.pass(20 * 60_000);
    const moved = { orders: { ...orders, account: "us" } };
    const refused = did("failed", `  baseUrl: ${emulator.baseUrl} → ${there.baseUrl}\n  account: eu → us\n`);
    expect([await stack.preview(moved, options), await stack.up(moved, options)]).toMatchObject([refused, refused]);
    expect([emulator.jobs.length, posts(emulator.requests), posts(there.requests)]).toEqual([1, 1, 0]);
  });

  test("is resent to another account in mode create only if the user wants that: the refusal names both", async () => {
    const there = await start();
    const place = await fastStack();
    const { stack, emulator, clock, use } = place;
    const settings = { jobOperations: "create", accounts: { eu: credentials(emulator), us: credentials(there) } };
    use(settings);
    await kill(place, { ...orders, account: "eu" });
    clock.pass(20 * 60_000);
    use(settings, emulator, { env: resending(clock.now(), urnIn(orders)) });
    const moved = { orders: { ...orders, account: "us" } };
    const { messages } = await stack.up(moved, options);
    expect(messages["orders"]).toMatch(/First look in the service at .*eu.* for a job/);
    expect(messages["orders"]).toContain("A resend goes to today's account: eu → us.");
    // This run has written the state too, some minutes later.
    stack.savedAt = clock.now() + 5 * 60_000;
    clock.pass(Date.parse(/Wait until (\S+): a job/.exec(messages["orders"] ?? "")?.[1] ?? "") - clock.now());
    use(settings, emulator, { env: resending(clock.now(), urnIn(orders)) });
    expect(await stack.up(moved, options)).toMatchObject(did("created"));
  });

  test("is none if the run was killed in an adoption", async () => {
    const { stack, clock } = await fastStack({ jobOperations: "create" });
    stack.savedAt = clock.now();
    stack.pending.set("orders", { ...orders, existingJobId: "job-1" });
    const { failed, text } = await stack.preview({ copy: cachingInputs("copy", "ORDERS") }, options);
    expect([failed, text]).toEqual([false, ""]);
  });
});

describe("A create without a clear answer", () => {
  test.each([
    ["all", 0],
    ["create", 0],
    ["create", 3_600_000],
    ["create", -3_600_000],
  ])(
    "is not resent by the user's command before it can no longer be in flight: mode %s, clock %d",
    async (mode, ms) => {
      const clock = new FastClock();
      const place = await fastStack({ jobOperations: mode }, { now: () => clock.now() + ms }, clock);
      const { stack, emulator, use } = place;
      emulator.inject({ kind: "reset", on: "create" });
      await stack.up({ orders }, options);
      stack.savedAt = clock.now();
      const resendNow = () => {
        use({ jobOperations: mode }, emulator, { env: resending(clock.now() + 1000, urnIn(orders)) });
      };
      clock.pass(60_000);
      resendNow();
      const early = await stack.up({ orders }, options);
      expect(early).toMatchObject(did("failed", "may still be on its way. Wait until"));
      expect(Date.parse(untilIn(early.text) ?? "") - clock.now()).toBeLessThan(120_000);
      expect(posts(emulator.requests)).toBe(1);
      clock.pass(70_000);
      resendNow();
      expect(await stack.up({ orders }, options)).toMatchObject(did("updated"));
      expect(posts(emulator.requests)).toBe(2);
    },
  );

  test("gets no job that somebody made hours later", async () => {
    const place = await fastStack();
    const { stack, emulator, clock } = place;
    await recordUnconfirmed(stack, emulator, orders, false, { clock });
    clock.pass(5 * 3_600_000);
    await expectLeftAlone(place);
  });

  test.each(["up", "destroy"] as const)(
    "of a query without a name is not ruled out by a job of its time: %s",
    async (next) => {
      const { stack, emulator, clock } = await fastStack();
      const query = queryInputs("orders", { query: "SELECT 1 " });
      await recordUnconfirmed(stack, emulator, query, true, { clock });
      const [{ id } = { id: "" }] = emulator.jobs;
      // The service keeps the text in another form.
      emulator.changeJob(id, { params: { query: "SELECT 1" } });
      emulator.addJob(queryBody({ query: "SELECT 2" }), { created: new Date(clock.now() - 3_600_000).toISOString() });
      clock.pass(600_000);
      const command = next === "up" ? stack.up({ orders: query }, options) : stack.destroy();
      expect(await command).toMatchObject(did("failed", `Job ${id} at the service could be from this create`));
      expect(emulator.jobs).toHaveLength(2);
    },
  );

  test.each([
    ["under a new name", (copy: typeof orders) => ({ copy })],
    ["of a resource that comes first", (copy: typeof orders) => ({ copy, orders })],
  ])("stops in mode create a create of its source %s", async (_where, programWith) => {
    const { stack, emulator, clock } = await fastStack({ jobOperations: "create" });
    await recordUnconfirmed(stack, emulator, orders, true, { clock });
    const program = programWith(cachingInputs("copy", "ORDERS"));
    const said = 'the create of CachingJob "orders", of the same source, is unconfirmed: it was sent at';
    for (const command of [stack.preview(program, options), stack.up(program, options)]) {
      const { messages } = await command;
      expect(messages["copy"]).toContain(said);
      expect(messages["copy"]).toContain(
        'If CachingJob "orders" was renamed to this resource, add to its options: aliases:',
      );
    }
    expect(emulator.jobs).toHaveLength(1);
  });
});
