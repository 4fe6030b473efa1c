import { secretSignature, signature } from "../../provider/src/hosts/engineNames.js";
import type { Declaration } from "../../provider/src/jobs/index.js";
import { cachingBody, cachingInputs, orders, queryBody, queryInputs } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { PARAMS, posts, start, stopAll } from "../support/emulated.js";

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

const credentials = ({ baseUrl, token }: Place["emulator"]) => ({ baseUrl, token });
const encrypted = { [signature]: secretSignature, ciphertext: "v1:made up" };
const adoptMatching = { env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" } };

/** A command, after which the engine writes the state. */
async function saving({ stack, clock }: Place, command: Promise<unknown>) {
  await command;
  stack.savedAt = clock.now();
}

/** Somebody makes a job of the source now. It is neither recorded as the create's nor deleted. */
async function expectLeftAlone({ stack, emulator, clock }: Place) {
  const { id } = emulator.addJob(cachingBody("ORDERS"));
  clock.pass(3_600_000);
  expect(await stack.up({ orders }, options)).toMatchObject(
    did("failed", `A job for this source exists already: job ${id}`),
  );
  await stack.up({}, options);
  expect(emulator.jobs).toMatchObject([{ id }]);
}

describe("The create of a killed run", () => {
  test("is not sent again as long as it may be in flight, and the refusal says how long that is", async () => {
    const place = await fastStack({}, { lagMs: 15_000 });
    const { stack, emulator, clock } = place;
    await kill(place);
    clock.pass(3000);
    const { text } = await stack.up({ orders }, options);
    expect(text).toContain("Wait twelve minutes (or ten and timeoutSeconds, if that is longer), then run pulumi up");
    expect(posts(emulator.requests)).toBe(1);
    clock.pass(20_000);
    expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
    expect(emulator.jobs).toHaveLength(1);
  });

  test("is sent again after the wait that a refused run asks for, although that run wrote the state", async () => {
    const place = await fastStack();
    const { stack, emulator, clock } = place;
    await kill(place);
    emulator.removeJob(emulator.jobs[0]?.id ?? "");
    clock.pass(180_000);
    const refused = stack.up({ orders }, options);
    await saving(place, refused);
    expect(await refused).toMatchObject(did("failed", "Wait twelve minutes"));
    clock.pass(12 * 60_000);
    expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
    expect(emulator.jobs).toHaveLength(1);
  });

  test("gets no job that somebody made long after it, although the engine still keeps its pending operation", async () => {
    const place = await fastStack();
    const { stack, emulator, clock } = place;
    await kill(place);
    await saving(place, stack.up({ orders }, options));
    await saving(place, stack.up({}, options));
    expect(emulator.jobs).toEqual([]);
    clock.pass(3_600_000);
    await expectLeftAlone(place);
  });

  test("leaves the job to the user if the state was written long after it", async () => {
    const place = await fastStack();
    const { stack, clock } = place;
    await kill(place);
    clock.pass(600_000);
    stack.savedAt = clock.now();
    const { steps, text } = await stack.up({ orders }, options);
    expect(steps).toEqual({ orders: "failed" });
    expect(text).toContain("could be from this create: only you can tell");
    expect(text).toContain(`created at about ${new Date(stack.savedAt).toISOString()} or before`);
  });

  test("is not sent again as long as it may be in flight, even if the run adopts what matches", async () => {
    const place = await fastStack({}, { lagMs: 15_000 });
    const { stack, emulator, clock, use } = place;
    await kill(place);
    use({}, emulator, adoptMatching);
    clock.pass(3000);
    const said = "Wait twelve minutes";
    expect(await stack.preview({ orders }, options)).toMatchObject(did("failed", said));
    expect(await stack.up({ orders }, options)).toMatchObject(did("failed", said));
    expect(posts(emulator.requests)).toBe(1);
    clock.pass(20_000);
    expect(await stack.up({ orders }, options)).toMatchObject(did("created"));
    expect(emulator.jobs).toHaveLength(1);
  });

  test("is not sent again if its declaration has a secret, which the state keeps encrypted", async () => {
    const place = await fastStack();
    const { stack, emulator, clock } = place;
    const query = queryInputs("orders", { query: "SELECT 1" });
    await kill(place, query, { ...query, params: { query: encrypted } });
    clock.pass(20 * 60_000);
    expect(await stack.up({ orders: query }, options)).toMatchObject(
      did("failed", `Job ${emulator.jobs[0]?.id} at the service could be from this create`),
    );
    expect(posts(emulator.requests)).toBe(1);
  });

  test("has its job found if its source has a secret", async () => {
    const place = await fastStack();
    await kill(place, orders, { ...orders, params: { ...PARAMS, sourceTable: encrypted } });
    expect(await place.stack.up({ orders }, options)).toMatchObject(did("created"));
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
    const said = "It was sent with other settings:\n  account: eu → us\n";
    expect(await stack.preview(moved, options)).toMatchObject(did("failed", said));
    expect(await stack.up(moved, options)).toMatchObject(did("failed", said));
    expect([emulator.jobs.length, posts(emulator.requests), posts(there.requests)]).toEqual([1, 1, 0]);
  });

  test("is not resent to another account in mode create, and the refusal names its own", async () => {
    const there = await start();
    const place = await fastStack();
    const { stack, emulator, clock, use } = place;
    const settings = { jobOperations: "create", accounts: { eu: credentials(emulator), us: credentials(there) } };
    use(settings);
    await kill(place, { ...orders, account: "eu" });
    clock.pass(20 * 60_000);
    const resend = { DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE: new Date(clock.now()).toISOString() };
    use(settings, emulator, { env: resend });
    const { messages } = await stack.up({ orders: { ...orders, account: "us" } }, options);
    expect(messages["orders"]).toMatch(/First look in the service at .*eu.* for a job/);
    expect(messages["orders"]).toContain("A resend works only if account is eu again");
    expect(posts(there.requests)).toBe(0);
  });

  test("is none if the run was killed in an adoption", async () => {
    const { stack, clock } = await fastStack({ jobOperations: "create" });
    stack.savedAt = clock.now();
    stack.pending.set("orders", { ...orders, existingJobId: "job-1" });
    const preview = await stack.preview({ copy: cachingInputs("copy", "ORDERS") }, options);
    expect([preview.failed, preview.text]).toEqual([false, ""]);
  });
});

describe("A create without a clear answer", () => {
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
