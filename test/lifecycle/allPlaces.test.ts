import { cachingBody, cachingInputs } from "../support/all/declarations.js";
import { configFor, inProcessStack } from "../support/all/inProcess.js";
import type { Config } from "../support/all/runOptions.js";
import { start, stopAll } from "../support/emulated.js";
import { saying } from "../support/matchers.js";

afterAll(stopAll);

const orders = cachingInputs("orders", "ORDERS");
const changed = { ...orders, intervalValue: 6 };

/** Two services, and one stack. Each run uses the settings that the test has set before the run. */
async function twoPlaces() {
  const [here, there] = [await start(), await start()];
  const settings: { config: Config } = { config: configFor(here) };
  const stack = inProcessStack(() => settings.config);
  const requests = () => [here.requests.length, there.requests.length];
  return { here, there, settings, stack, requests };
}

describe("A job at another address than today's", () => {
  test("is not asked for, changed or deleted there, and stays in the state", async () => {
    const { here, there, settings, stack, requests } = await twoPlaces();
    await stack.up({ orders });
    const before = new Map(stack.state);
    const seen = requests();
    settings.config = configFor(there);
    expect(await stack.refresh()).toMatchObject({ steps: { orders: "failed" }, text: saying(here.baseUrl) });
    expect(await stack.up({ orders: changed })).toMatchObject({ steps: { orders: "failed" }, text: saying("baseUrl") });
    expect(await stack.up({})).toMatchObject({ steps: { orders: "failed" } });
    expect(await stack.destroy()).toMatchObject({ steps: { orders: "failed" }, text: saying("baseUrl") });
    expect([new Map(stack.state), requests()]).toEqual([before, seen]);
  });

  test("can follow a service that moved, by changedAtService", async () => {
    const { here, there, settings, stack } = await twoPlaces();
    await stack.up({ orders });
    const [job] = here.jobs;
    there.addJob(cachingBody("ORDERS"), { ...(job && { id: job.id }) });
    settings.config = configFor(there);
    const moved = { ...orders, changedAtService: "moved" };
    expect(await stack.up({ orders: moved })).toMatchObject({ steps: { orders: "updated" } });
    expect(await stack.refresh()).toMatchObject({ steps: { orders: "read" } });
    expect(await stack.up({ orders: { ...changed, changedAtService: "moved" } })).toMatchObject({
      steps: { orders: "updated" },
    });
    expect([here.jobs, there.jobs]).toMatchObject([[{ intervalValue: 4 }], [{ intervalValue: 6 }]]);
  });
});

describe("A job of another account than today's", () => {
  test("is neither asked for nor deleted with this account's token, and cannot be moved", async () => {
    const { here, settings, stack, requests } = await twoPlaces();
    const eu = { baseUrl: here.baseUrl, token: here.token };
    settings.config = configFor(here, { accounts: { eu } });
    await stack.up({ orders: { ...orders, account: "eu" } });
    const seen = requests();
    expect(await stack.up({ orders })).toMatchObject({ steps: { orders: "failed" }, text: saying("account: eu") });
    settings.config = configFor(here);
    const refreshed = await stack.refresh();
    expect(refreshed).toMatchObject({ steps: { orders: "failed" }, text: saying('CachingJob "orders": No setting') });
    expect(await stack.destroy()).toMatchObject({ steps: { orders: "failed" }, text: saying('account "eu"') });
    expect([stack.state.size, requests()]).toEqual([1, seen]);
  });

  test("is at its own service, with its own operations", async () => {
    const { here, there, settings, stack, requests } = await twoPlaces();
    const eu = { baseUrl: there.baseUrl, token: there.token, jobOperations: "create" };
    settings.config = configFor(here, { accounts: { eu } });
    const items = { ...cachingInputs("items", "ITEMS"), account: "eu" };
    await stack.up({ orders, items });
    const paths = () => there.requests.map(({ path }) => path);
    expect(paths()).toEqual(["/api/poweredby/sources/list", "/api/job/create"]);
    expect(await stack.up({ orders: changed, items: { ...items, intervalValue: 6 } })).toMatchObject({
      steps: { orders: "updated", items: "failed" },
    });
    expect(await stack.refresh()).toMatchObject({ steps: { orders: "read", items: "read" } });
    expect(await stack.destroy()).toMatchObject({ steps: { orders: "deleted", items: "failed" } });
    expect([paths().length, requests()[1], there.jobs.length]).toEqual([2, 2, 1]);
  });
});

describe("A stack that is switched", () => {
  test("from create to all and back keeps its jobs, and uses only the operations of its day", async () => {
    const { here, settings, stack } = await twoPlaces();
    const as = (jobOperations: string) => (settings.config = configFor(here, { jobOperations }));
    as("create");
    await stack.up({ orders });
    expect(await stack.up({ orders: changed })).toMatchObject({ steps: { orders: "failed" } });
    as("all");
    expect(await stack.up({ orders })).toMatchObject({ steps: { orders: "same" } });
    expect(await stack.up({ orders: changed })).toMatchObject({ steps: { orders: "updated" } });
    here.changeJob(here.jobs[0]?.id ?? "", { intervalValue: 9 });
    await stack.refresh();
    as("create");
    const seen = here.requests.length;
    expect(await stack.refresh()).toMatchObject({ steps: { orders: "read" } });
    expect(await stack.up({ orders: changed })).toMatchObject({ steps: { orders: "failed" } });
    expect(await stack.destroy()).toMatchObject({ steps: { orders: "failed" } });
    expect(here.requests.length).toBe(seen);
    as("all");
    expect(await stack.up({ orders: changed })).toMatchObject({ steps: { orders: "updated" } });
    expect(here.jobs).toMatchObject([{ intervalValue: 6 }]);
  });

  test("from create to all shows what the user confirmed and never did", async () => {
    const { here, settings, stack } = await twoPlaces();
    settings.config = configFor(here, { jobOperations: "create" });
    await stack.up({ orders });
    const confirmed = { ...changed, changedAtService: "yesterday" };
    expect(await stack.up({ orders: confirmed })).toMatchObject({ steps: { orders: "updated" } });
    settings.config = configFor(here);
    await stack.refresh();
    expect(await stack.up({ orders: confirmed })).toMatchObject({ steps: { orders: "updated" } });
    expect(here.jobs).toMatchObject([{ intervalValue: 6 }]);
  });

  test.each([{ jobOperations: "everything" }, { timeoutSeconds: "long" }, { baseUrl: "nowhere" }])(
    "with the malformed setting %j does not lose a job",
    async (malformed) => {
      const { here, settings, stack } = await twoPlaces();
      await stack.up({ orders });
      const seen = here.requests.length;
      settings.config = configFor(here, malformed);
      await stack.refresh();
      expect(await stack.destroy()).toMatchObject({ steps: { orders: "failed" }, text: saying('CachingJob "orders"') });
      expect([stack.state.size, here.requests.length]).toEqual([1, seen]);
    },
  );
});
