import { cachingBody, cachingInputs, changed, orders } from "../support/all/declarations.js";
import { configFor, did, fastStack, inProcessStack } from "../support/all/inProcess.js";
import { start, stopAll } from "../support/emulated.js";
import { FastClock } from "../support/fastClock.js";
import { matching } from "../support/matchers.js";

afterAll(stopAll);

type Stack = Awaited<ReturnType<typeof fastStack>>["stack"];

/** Two services, and one stack, which uses the first one until the test says otherwise. */
async function twoPlaces() {
  const { emulator: here, stack, use } = await fastStack();
  const there = await start();
  const requests = () => [here.requests.length, there.requests.length];
  return { here, there, use, stack, requests };
}

describe("A job at another address than today's", () => {
  test("is not asked for, changed or deleted there, and stays in the state", async () => {
    const { here, there, use, stack, requests } = await twoPlaces();
    await stack.up({ orders });
    const before = new Map(stack.state);
    const seen = requests();
    use({}, there);
    expect(await stack.refresh()).toMatchObject(did("failed", here.baseUrl));
    expect(await stack.up({ orders: changed })).toMatchObject(did("failed", "baseUrl"));
    expect(await stack.up({})).toMatchObject(did("failed"));
    expect(await stack.destroy()).toMatchObject(did("failed", "baseUrl"));
    expect([new Map(stack.state), requests()]).toEqual([before, seen]);
  });

  test("is explained by the place that the address comes from", async () => {
    const [here, there] = [await start(), await start()];
    let env = {};
    const stack = inProcessStack(() => ({ config: configFor(here), env, clock: new FastClock() }));
    await stack.up({ orders });
    env = { DATA_CONNECTIVITY_BASE_URL: there.baseUrl };
    const { text } = await stack.up({ orders });
    expect(text).toContain("If the program did not change, the settings did: DATA_CONNECTIVITY_BASE_URL.");
    const now = `but DATA_CONNECTIVITY_BASE_URL now names ${there.baseUrl}. Nothing was sent, and the state stays as it is. Correct DATA_CONNECTIVITY_BASE_URL, and run pulumi up.`;
    expect(await stack.refresh()).toMatchObject(did("failed", now));
  });

  test("can follow a service that moved, by changedAtService", async () => {
    const { here, there, use, stack } = await twoPlaces();
    await stack.up({ orders });
    for (const { id } of here.jobs) there.addJob(cachingBody("ORDERS"), { id });
    use({}, there);
    const moved = { ...orders, changedAtService: "moved" };
    expect(await stack.up({ orders: moved })).toMatchObject(did("updated"));
    expect(await stack.refresh()).toMatchObject(did("read"));
    expect(await stack.up({ orders: { ...changed, changedAtService: "moved" } })).toMatchObject(did("updated"));
    expect([here.jobs, there.jobs]).toMatchObject([[{ intervalValue: 4 }], [{ intervalValue: 6 }]]);
  });
});

test.each([true, false])(
  "One service at two addresses: a job adopted at one is not deleted at the other (by its source: %s)",
  async (isMatched) => {
    const { emulator, stack, use } = await fastStack({});
    const { token, baseUrl } = emulator;
    const at = (address: string) => ({ baseUrl: address, token, jobOperations: "all" });
    const accounts = { was: at(baseUrl), now: at(baseUrl.replace("127.0.0.1", "localhost")) };
    use({ accounts });
    await stack.up({ orders: { ...orders, account: "was" } });
    const [{ id } = { id: "" }] = emulator.jobs;
    use({ accounts }, emulator, isMatched ? { env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" } } : {});
    const more = { account: "now", ...(!isMatched && { existingJobId: id }) };
    await stack.up({ moved: cachingInputs("moved", "ORDERS", more) });
    expect(emulator.jobs).toMatchObject([{ id }]);
  },
);

describe("After a confirmed move to a service where the job's id is another job's", () => {
  async function movedToOther() {
    const places = await twoPlaces();
    const { here, there, use, stack } = places;
    await stack.up({ orders });
    for (const { id } of here.jobs) there.addJob(cachingBody("STRANGERS"), { id });
    use({}, there);
    await stack.up({ orders: { ...orders, changedAtService: "moved" } });
    return places;
  }

  test.each([
    ["a refresh", (stack: Stack) => stack.refresh()],
    ["a change", (stack: Stack) => stack.up({ orders: { ...changed, changedAtService: "moved" } })],
    ["a destroy", (stack: Stack) => stack.destroy()],
  ])("%s is refused, and leaves that job alone", async (_what, play) => {
    const { there, stack } = await movedToOther();
    expect(await play(stack)).toMatchObject(did("failed"));
    expect([there.jobs, stack.state.size]).toMatchObject([[{ params: { sourceTable: "STRANGERS" } }], 1]);
  });
});

describe("A job of an account that the settings no longer have, or that they name wrongly", () => {
  const inEu = { ...orders, account: "eu" };

  /** The mode of the account was its own. */
  async function withoutAccount(more: object = {}) {
    const place = await fastStack();
    const { emulator, stack, use } = place;
    const eu = { baseUrl: emulator.baseUrl, token: emulator.token, jobOperations: "all" };
    use({ jobOperations: "create", accounts: { eu } });
    await stack.up({ orders: inEu });
    use({ jobOperations: "create", ...more });
    return place;
  }

  test.each([{}, { protect: "false" }])("is not taken for one that nobody can read or delete (%j)", async (more) => {
    const { emulator, stack } = await withoutAccount(more);
    for (const result of [await stack.refresh(), await stack.up({})])
      expect(result).toMatchObject(did("failed", 'No setting names the account "eu".'));
    expect([emulator.jobs.length, stack.state.size]).toEqual([1, 1]);
  });

  test("is neither, if the settings of any account cannot be read", async () => {
    const { stack } = await withoutAccount({ accounts: { us: { tokn: "x" } } });
    for (const result of [await stack.refresh(), await stack.destroy()])
      expect(result).toMatchObject(did("failed", "tokn"));
  });
});

test("A refresh and a destroy that lack a setting say whose configuration they use", async () => {
  const { here, use, stack } = await twoPlaces();
  await stack.up({ orders });
  use({}, { ...here, baseUrl: "" });
  const ofLastUp = "use the stack configuration of the last pulumi up";
  expect((await stack.refresh()).text).toContain(ofLastUp);
  expect((await stack.destroy()).text).toContain(ofLastUp);
});

test("An up that deletes a job of an account without settings says nothing of an earlier configuration", async () => {
  const { here, use, stack } = await twoPlaces();
  use({ accounts: { eu: { baseUrl: here.baseUrl, token: here.token } } });
  const items = cachingInputs("items", "ITEMS");
  await stack.up({ orders: { ...orders, account: "eu" }, items });
  use({});
  const up = await stack.up({ items });
  expect(up).toMatchObject(did({ orders: "failed", items: "same" }));
  expect(up.text).not.toContain("of the last pulumi up");
});

test("An unconfirmed create at another address than today's is looked for there, and resent nowhere else", async () => {
  const { here, there, use, stack } = await twoPlaces();
  here.inject({ kind: "reset", on: "create" });
  await stack.up({ orders });
  use({}, there);
  const { text } = await stack.up({ orders });
  expect(text).toContain(`baseUrl: ${here.baseUrl} → ${there.baseUrl}`);
  expect(text).toContain("Undo that change and run pulumi up, which looks for the job.");
  expect(text).not.toContain("RESEND");
});

test("With requestEncoding quoted, three members are sent as strings, as in the interface's examples", async () => {
  const { here, stack, use } = await twoPlaces();
  use({ requestEncoding: "quoted" });
  await stack.up({ orders: { ...orders, enabled: false } });
  const quoted = { intervalValue: "4", logVerbosity: "2", enabled: "false", intervalUnit: "Hour" };
  expect(here.jobs).toMatchObject([{ body: quoted }]);
});

describe("A job of another account than today's", () => {
  test("is neither asked for nor deleted with this account's token, and cannot be moved", async () => {
    const { here, use, stack, requests } = await twoPlaces();
    const eu = { baseUrl: here.baseUrl, token: here.token };
    use({ accounts: { eu } });
    await stack.up({ orders: { ...orders, account: "eu" } });
    const seen = requests();
    expect(await stack.up({ orders })).toMatchObject(did("failed", "account: eu"));
    use({});
    const refreshed = await stack.refresh();
    expect(refreshed).toMatchObject(did("failed", 'CachingJob "orders": No setting'));
    expect(await stack.destroy()).toMatchObject(did("failed", 'account "eu"'));
    expect([stack.state.size, requests()]).toEqual([1, seen]);
  });

  test("is at its own service, with its own operations", async () => {
    const { there, use, stack, requests } = await twoPlaces();
    const eu = { baseUrl: there.baseUrl, token: there.token, jobOperations: "create" };
    use({ accounts: { eu } });
    const items = { ...cachingInputs("items", "ITEMS"), account: "eu" };
    await stack.up({ orders, items });
    const paths = () => there.requests.map(({ path }) => path);
    expect(paths()).toEqual(["/api/poweredby/sources/list", "/api/job/create"]);
    expect(await stack.up({ orders: changed, items: { ...items, intervalValue: 6 } })).toMatchObject(
      did({ orders: "updated", items: "failed" }),
    );
    expect(await stack.refresh()).toMatchObject(did({ orders: "read", items: "read" }));
    expect(await stack.destroy()).toMatchObject(did({ orders: "deleted", items: "failed" }));
    expect([paths().length, requests()[1], there.jobs.length]).toEqual([2, 2, 1]);
  });
});

describe("A stack that is switched", () => {
  test("from create to all and back keeps its jobs, and uses only the operations of its day", async () => {
    const { here, use, stack } = await twoPlaces();
    use({ jobOperations: "create" });
    await stack.up({ orders });
    const setting = /Let Pulumi change jobs.*pulumi config set data-connectivity:jobOperations all\n/;
    expect(await stack.up({ orders: changed })).toMatchObject(did("failed", matching(setting)));
    use({});
    expect(await stack.up({ orders })).toMatchObject(did("same"));
    expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
    here.changeJob(here.jobs[0]?.id ?? "", { intervalValue: 9 });
    await stack.refresh();
    use({ jobOperations: "create" });
    const seen = here.requests.length;
    expect(await stack.refresh()).toMatchObject(did("read"));
    expect(await stack.up({ orders: changed })).toMatchObject(did("failed"));
    expect(await stack.destroy()).toMatchObject(did("failed"));
    expect(here.requests.length).toBe(seen);
    use({});
    expect(await stack.up({ orders: changed })).toMatchObject(did("updated"));
    expect(here.jobs).toMatchObject([{ intervalValue: 6 }]);
  });

  test.each([{ jobOperations: "everything" }, { timeoutSeconds: "long" }, { baseUrl: "nowhere" }])(
    "with the malformed setting %j does not lose a job",
    async (malformed) => {
      const { here, use, stack } = await twoPlaces();
      await stack.up({ orders });
      const seen = here.requests.length;
      use(malformed);
      await stack.refresh();
      expect(await stack.destroy()).toMatchObject(did("failed", 'CachingJob "orders"'));
      expect([stack.state.size, here.requests.length]).toEqual([1, seen]);
    },
  );
});
