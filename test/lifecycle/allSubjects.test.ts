import { changed, orders } from "../support/all/declarations.js";
import { configFor, did, inProcessStack } from "../support/all/inProcess.js";
import type { Config } from "../support/all/runOptions.js";
import { recordUnconfirmed } from "../support/all/unconfirmed.js";
import { start, stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { jwt } from "../support/jwt.js";
import { saying } from "../support/matchers.js";

afterAll(stopAll);

const token = (iss: string, sub: string, more: object = {}): string => jwt({ iss, sub, ...more });

/** A service that accepts every token. Each run uses the token that the test set last before the run. */
async function oneAddress() {
  const clock = new FastClock();
  const service = await start({ acceptToken: () => true, now: clock.now });
  const today: { config: Config; env: Readonly<Record<string, string>> } = { config: {}, env: {} };
  const use = (text: string, env = {}, jobOperations = "all") =>
    void Object.assign(today, { config: configFor({ ...service, token: text }, { jobOperations }), env });
  const stack = inProcessStack(
    () => today.config,
    () => ({ env: today.env, clock }),
  );
  return { service, use, stack, clock };
}

describe("A token of another account or sub-account, at the same address", () => {
  test.each([
    ["issuer", token("parent-2", "sub-1")],
    ["subject", token("parent-1", "sub-2")],
  ])("with another %s is used for nothing, and the job stays in the state", async (_what, other) => {
    const { service, use, stack } = await oneAddress();
    use(token("parent-1", "sub-1"));
    await stack.up({ orders });
    const before = new Map(stack.state);
    const { length } = service.requests;
    use(other);
    const refused = did("failed", "a different account or sub-account");
    expect(await stack.refresh()).toMatchObject(refused);
    expect(await stack.up({ orders: changed })).toMatchObject(refused);
    expect(await stack.destroy()).toMatchObject(refused);
    expect([service.requests.length, new Map(stack.state)]).toEqual([length, before]);
  });

  test.each([
    ["alone", orders],
    ["with a change that was made there", changed],
  ])("may follow where the user confirms it with changedAtService, %s", async (_what, inputs) => {
    const { service, use, stack } = await oneAddress();
    use(token("parent-1", "sub-1"));
    await stack.up({ orders });
    use(token("parent-1", "renamed"));
    await stack.up({ orders: { ...inputs, changedAtService: "renamed" } });
    service.changeJob(service.jobs[0]?.id ?? "", { intervalValue: Number(inputs.intervalValue) });
    expect(await stack.refresh()).toMatchObject(did("read"));
    expect(await stack.destroy()).toMatchObject(did("deleted"));
    expect(service.jobs).toEqual([]);
  });
});

describe("A job that was made with create, before all job operations were used,", () => {
  test.each([
    ["was changed", changed],
    ["was confirmed", { ...orders, changedAtService: "yesterday" }],
  ])("and %s, is used with the same token only", async (_what, inputs) => {
    const { service, use, stack } = await oneAddress();
    use(token("parent-1", "sub-1"), {}, "create");
    await stack.up({ orders });
    use(token("parent-1", "sub-1"));
    expect(await stack.up({ orders: inputs })).toMatchObject(did("updated"));
    use(token("parent-1", "sub-2"));
    const { length } = service.requests;
    const refused = did("failed", "a different account or sub-account");
    expect(await stack.refresh()).toMatchObject(refused);
    expect(await stack.destroy()).toMatchObject(refused);
    expect(service.requests).toHaveLength(length);
  });
});

test("A token that does not tell its subject does not make the state forget it", async () => {
  const { service, use, stack, clock } = await oneAddress();
  const first = token("parent-1", "sub-1");
  await recordUnconfirmed(stack, service, orders, true, { clock, token: first });
  use("opaque");
  expect(await stack.refresh()).toMatchObject({ failed: false });
  expect(stack.state.get("orders")).toMatchObject({ id: service.jobs[0]?.id });
  use(token("parent-1", "sub-2"));
  expect(await stack.destroy()).toMatchObject({ text: saying("a different account or sub-account") });
  expect(service.jobs).toHaveLength(1);
});

describe("An unconfirmed create", () => {
  /**
   * A stack whose create by the first account got no answer, so long ago that it is resent if the list lacks the job.
   */
  async function unconfirmed(processed: boolean) {
    const { service, use, stack, clock } = await oneAddress();
    const first = token("parent-1", "sub-1");
    await recordUnconfirmed(stack, service, orders, processed, { clock, token: first });
    clock.pass(121_000);
    use(first);
    return { service, use, stack, clock };
  }

  test("is neither looked for nor resent nor forgotten with a token of another sub-account", async () => {
    const { service, use, stack } = await unconfirmed(false);
    use(token("parent-1", "sub-2"));
    const { length } = service.requests;
    const refused = did("failed", "a different account or sub-account");
    expect(await stack.up({ orders })).toMatchObject(refused);
    expect(await stack.refresh()).toMatchObject(refused);
    expect(await stack.destroy()).toMatchObject(refused);
    expect(service.requests).toHaveLength(length);
  });

  test("is not resent with one even where its time was named", async () => {
    const { service, use, stack, clock } = await unconfirmed(false);
    use(token("parent-1", "sub-2"), {
      DATA_CONNECTIVITY_RESEND_UNCONFIRMED_BEFORE: new Date(clock.now()).toISOString(),
    });
    const { length } = service.requests;
    expect(await stack.up({ orders })).toMatchObject({ text: saying("a different account or sub-account") });
    expect(service.requests).toHaveLength(length);
  });

  test.each([
    ["was resent", false, "up"],
    ["was found by the next up", true, "up"],
    ["was found by a refresh", true, "refresh"],
    ["was adopted", true, "adopt"],
  ] as const)("that %s is used with the same token only", async (_what, processed, how) => {
    const { service, use, stack } = await unconfirmed(processed);
    const [job] = service.jobs;
    if (how === "refresh") await stack.refresh();
    else await stack.up({ orders: how === "adopt" ? { ...orders, existingJobId: job?.id } : orders });
    expect(stack.state.get("orders")).toMatchObject({ outputs: { job: { id: service.jobs[0]?.id } } });
    use(token("parent-1", "sub-2"));
    const { length } = service.requests;
    expect(await stack.destroy()).toMatchObject({ text: saying("a different account or sub-account") });
    expect(service.requests).toHaveLength(length);
  });
});

test.each([
  ["a newer token of the same subject", token("parent-1", "sub-1", { exp: 4_000_000_000 })],
  ["an opaque token, which does not tell", "opaque"],
])("%s is used as before", async (_what, newer) => {
  const { service, use, stack } = await oneAddress();
  use(token("parent-1", "sub-1"));
  await stack.up({ orders });
  use(newer);
  await stack.refresh();
  expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
  expect(service.jobs).toMatchObject([{ intervalValue: 6 }]);
});
