import { sendOnce } from "../../provider/src/client/http.js";
import type { KeptJob } from "../../provider/src/lifecycle/inventory/memory.js";
import { cachingBody, cachingInputs, orders } from "../support/all/declarations.js";
import { configFor, did, fastStack, runInProcess } from "../support/all/inProcess.js";
import { upCommand, type Config } from "../support/all/runOptions.js";
import { deferred } from "../support/deferred.js";
import { FastClock } from "../support/fastClock.js";
import { stopAll } from "../support/emulated.js";
import type { TestFault, TestServer, TestServerRequest } from "../support/emulator/index.js";

// What was true before a wait may no longer be true after it: each request that writes is decided in the tick in which it
// leaves.

afterEach(stopAll);

const limited: TestFault = { kind: "reply", status: 429, headers: { "Retry-After": "60" }, times: 1 };

/** A stack on a service of which somebody does something while a request waits for the rate limit. */
async function stackWith(meanwhile: (emulator: TestServer, request: TestServerRequest) => void, config: Config = {}) {
  const used = await fastStack(config, {
    onRequest: (request) => {
      if (request.status === 429) meanwhile(used.emulator, request);
    },
  });
  return used;
}

const tableOf = ({ params }: TestServer["jobs"][number]): unknown => params["sourceTable"];

test("A create whose source somebody takes while it waits is refused", async () => {
  const { emulator, stack } = await stackWith((service) => service.addJob(cachingBody("ORDERS")));
  emulator.inject({ ...limited, on: "create" });
  expect(await stack.up({ orders })).toMatchObject(did("failed"));
  expect(emulator.jobs).toHaveLength(1);
  expect(stack.state.size).toBe(0);
});

test("A create whose 429 asks for no wait is refused if it made a job all the same", async () => {
  const { emulator, stack } = await stackWith((service) => service.addJob(cachingBody("ORDERS")));
  emulator.inject({ ...limited, headers: { "Retry-After": "0" }, on: "create" });
  expect(await stack.up({ orders })).toMatchObject(did("failed"));
  expect(emulator.jobs).toHaveLength(1);
});

test.each([
  ["tells when it admits the next one", { "Retry-After": "15" }, 15_000],
  ["does not tell when it admits the next one", undefined, 6000],
])("A create gets through a limit that one look uses up, and that %s", async (_what, headers, eachMs) => {
  // A bucket of two requests, which gets one more each time.
  let [left, filledAt] = [1, 0];
  const used = await fastStack(
    {},
    {
      onRequest: ({ operation, at }) => {
        left = Math.min(2, left + (filledAt === 0 ? 0 : (Date.parse(at) - filledAt) / eachMs));
        filledAt = Date.parse(at);
        if (operation !== "list") return;
        left = Math.max(0, left - 1);
        if (left < 1) used.emulator.inject({ ...limited, headers, on: "create" });
      },
    },
  );
  expect(await used.stack.up({ orders })).toMatchObject(did("created"));
  expect(used.posts()).toBeLessThan(8);
});

test("A create whose source another one of the run got, while its engine was asked, is refused", async () => {
  const { stack, emulator, use, clock } = await fastStack();
  const answered = deferred();
  let [creates, isAskedNext] = [0, false];
  const transport: typeof sendOnce = async (request) => {
    const result = await sendOnce(request);
    if (request.url.endsWith("/job/create")) {
      creates += 1;
      // The first create goes alone. After it, the next ones need a newer list.
      if (creates === 1) clock.pass(11_000);
    } else if (creates === 1) {
      clock.pass(2000);
      isAskedNext = true;
    }
    return result;
  };
  const isEngineAlive = async () => {
    const isHeld = isAskedNext;
    isAskedNext = false;
    // It is asked once more when the other create has its outcome.
    if (creates > 1) answered.resolve();
    if (isHeld) await answered.promise;
    return true;
  };
  use({}, emulator, { transport, isEngineAlive });
  const { steps } = await stack.up({ orders, a: cachingInputs("a", "A"), b: cachingInputs("b", "A") });
  expect(Object.values(steps).sort()).toEqual(["created", "created", "failed"]);
  expect(emulator.jobs).toHaveLength(2);
});

test("A create that is refused after its wait leaves its source to others", async () => {
  const { emulator, stack } = await stackWith((service) => service.addJob(cachingBody("ORDERS"), { id: "rival" }));
  emulator.inject({ ...limited, on: "create" });
  await stack.up({ orders });
  emulator.removeJob("rival");
  expect(await stack.up({ orders })).toMatchObject(did("created"));
});

test("A lost reply after a wait takes no job that somebody made during the wait", async () => {
  const { emulator, stack } = await stackWith((service) => service.addJob(cachingBody("ORDERS"), { id: "rival" }));
  emulator.inject({ ...limited, on: "create" }, { kind: "reset", processed: false, on: "create", times: 1 });
  expect((await stack.up({ orders })).failed).toBe(true);
  expect(JSON.stringify([...stack.state])).not.toContain("rival");
});

test("A change to a source that somebody takes while it waits is refused", async () => {
  const { emulator, stack } = await stackWith((service) => service.addJob(cachingBody("LINES"), { id: "rival" }));
  await stack.up({ orders });
  emulator.inject({ ...limited, on: "update" });
  expect(await stack.up({ orders: cachingInputs("orders", "LINES") })).toMatchObject(did("failed"));
  expect(emulator.jobs.map(tableOf)).toEqual(["ORDERS", "LINES"]);
});

test("A change keeps what somebody adds to the job while it waits", async () => {
  const { emulator, stack } = await stackWith(({ jobs: [job], changeJob }) => {
    if (job !== undefined) changeJob(job.id, { params: { ...job.params, addedBy: "somebody" } });
  });
  await stack.up({ orders });
  emulator.inject({ ...limited, on: "update" });
  expect(await stack.up({ orders: { ...orders, intervalValue: 7 } })).toMatchObject(did("updated"));
  expect(emulator.jobs).toMatchObject([{ intervalValue: 7, params: { addedBy: "somebody" } }]);
});

test("A job that another process of the run adopts while its delete waits is not deleted", async () => {
  const keptJobs = new Map<string, KeptJob>();
  const { emulator, stack, use } = await stackWith(({ jobs: [job] }) => {
    const kept = { use: "adopted", label: 'CachingJob "other"', key: "other" } as const;
    keptJobs.set(job?.id.toLowerCase() ?? "", kept);
  });
  use({}, emulator, { keptJobs });
  await stack.up({ orders });
  emulator.inject({ ...limited, on: "delete" });
  expect((await stack.destroy()).failed).toBe(false);
  expect(emulator.jobs).toHaveLength(1);
});

test("A resend whose job shows up while it waits is not sent: the job is recorded", async () => {
  const { emulator, stack, clock, posts } = await stackWith((service, { at }) => {
    service.addJob(cachingBody("ORDERS"), { id: "late", created: new Date(Date.parse(at) - 300_000).toISOString() });
  });
  emulator.inject({ kind: "reset", processed: false, on: "create", times: 1 });
  expect(await stack.up({ orders })).toMatchObject(did("recorded"));
  clock.pass(290_000);
  emulator.inject({ ...limited, on: "create" });
  const before = posts();
  expect(await stack.up({ orders })).toMatchObject(did("updated"));
  expect(emulator.jobs).toHaveLength(1);
  // The one that the rate limit refused.
  expect(posts() - before).toBe(1);
  expect(JSON.stringify([...stack.state])).toContain("late");
});

test("A create whose decision waits is decided again: what it saw first may no longer be true", async () => {
  const { emulator, stack } = await stackWith((service) => service.addJob(cachingBody("ORDERS"), { id: "rival" }));
  emulator.addJob(cachingBody("OTHER"), { id: "other" });
  // The list does not show the other job's source, so that the decision also reads the job.
  emulator.inject({ kind: "edited", edit: "withoutParams", on: "list", times: -1 }, { ...limited, on: "get" });
  expect(await stack.up({ orders })).toMatchObject(did("failed", "rival"));
  expect(emulator.jobs.map(({ id }) => id)).toEqual(["other", "rival"]);
});

const lines = cachingInputs("lines", "LINES");

test("A create that has waited for more than ten minutes is not sent: later runs count it as over", async () => {
  const clock = new FastClock();
  const onRequest = ({ operation }: TestServerRequest) => {
    if (operation === "create") clock.pass(601_000);
  };
  const { stack, posts } = await fastStack({ jobOperations: "create" }, { onRequest }, clock);
  expect(await stack.up({ orders, lines })).toMatchObject({ failed: true });
  expect(posts()).toBe(1);
});

test.each([
  ["has got", "ok"],
  ["was refused, though a gateway had sent its create twice,", "error"],
])(
  "A create does not take a source that another one of the run %s while its old job was read",
  async (_what, result) => {
    const secondRead = deferred();
    let reads = 0;
    const onRequest = ({ operation }: TestServerRequest) => {
      if (operation === "get" && (reads += 1) === 2) secondRead.resolve();
    };
    const { stack, emulator, clock } = await fastStack({}, { onRequest });
    await stack.up({ orders });
    for (const { id } of [...emulator.jobs]) emulator.removeJob(id);
    clock.pass(3_600_000);
    const exported = stack.export();
    const run = await runInProcess(configFor(emulator), {
      clock,
      exportStack: () => Promise.resolve(exported),
      command: { ...upCommand, replaces: true },
    });
    const again = cachingInputs("again", "ORDERS");
    const items = cachingInputs("items", "ITEMS");
    for (const one of [items, orders, again]) await run.check({}, one);
    // From then on, creates are sent side by side.
    await run.create(items);
    const other = deferred();
    emulator.inject({ kind: "delay", on: "get", seconds: 0, after: 1, times: 1, until: other.promise });
    const replaced = run.create(orders);
    await secondRead.promise;
    if (result === "error") emulator.inject({ kind: "reply", on: "create", status: 409, processed: true });
    expect((await run.create(again)).kind).toBe(result);
    other.resolve();
    expect((await replaced).kind).toBe("error");
    expect(emulator.jobs.filter((job) => tableOf(job) === "ORDERS")).toHaveLength(1);
  },
);
