import { cachingBody, cachingInputs, items, orders } from "../support/all/declarations.js";
import { withSecretParams } from "../support/all/exports.js";
import { did, fastStack, stackWithOrders } from "../support/all/inProcess.js";
import { pasted } from "../support/all/pasted.js";
import { membersOf } from "../../provider/src/json.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { matching } from "../support/matchers.js";
import { resending } from "../support/resending.js";
import { urnIn } from "../support/all/hosts.js";

afterAll(stopAll);

/** In such a run, new resources adopt the jobs that have their sources. */
const adopting = { env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" } };

type Edit = Extract<TestFault, { kind: "edited" }>["edit"];

const inForm = (edit: Edit): TestFault => ({ kind: "edited", times: -1, edit });
const long = "customer_orders_of_all_regions_and_years_2020_to_2026";

const ownForms: readonly (readonly [Edit, table: string, kept: string])[] = [
  ["trimmed", " ORDERS ", "ORDERS"],
  ["escaped", "R&D", "R&amp;D"],
  ["cut", long, long.slice(0, 40)],
  ["inCompatibleForm", "pro\ufb01les", "profiles"],
];

/** What a command says about both forms, in this order. */
const bothForms = (table: string, kept: string) =>
  matching(new RegExp(`sourceTable: "${kept}" at the service, "${table}" declared \\(they differ only in `));

describe.each(ownForms)("A service that keeps names %s", (edit, table, kept) => {
  const orders = cachingInputs("orders", table);

  test.each([true, false])(
    "gets no second create, and the way that is said ends (its reply is lost: %s)",
    async (isLost) => {
      const { emulator, stack, clock, posts, use } = await fastStack({}, { faults: [inForm(edit)] });
      if (isLost) {
        emulator.repair();
        emulator.inject({ kind: "reset", on: "create", processed: true }, inForm(edit));
      }
      const first = await stack.up({ orders });
      expect(first).toMatchObject(did("recorded"));
      const [{ id } = { id: "" }] = emulator.jobs;
      expect(membersOf(stack.state.get("orders")?.outputs["origin"])["namedId"]).toBe(isLost ? undefined : id);
      if (!isLost) expect(first).toMatchObject({ text: bothForms(table, kept) });
      clock.pass(600_000);
      const again = await stack.up({ orders });
      expect(again).toMatchObject(did("failed", bothForms(table, kept)));
      expect(await stack.refresh()).toMatchObject({ text: bothForms(table, kept) });
      expect(await stack.destroy()).toMatchObject(did("failed", id));
      expect([posts(), emulator.jobs.length]).toEqual([1, 1]);

      use({}, emulator, { env: pasted(again.text) });
      expect(await stack.preview({ orders })).toMatchObject(did("updated"));
      expect(await stack.up({ orders })).toMatchObject(did("updated"));
      use({});
      expect(await stack.refresh()).toMatchObject(did("read"));
      expect(stack.state.get("orders")?.id).toBe(id);
      expect(await stack.up({ orders, again: cachingInputs("again", table) })).toMatchObject(
        did({ orders: "same", again: "failed" }, "already has the job for this source"),
      );
      expect(await stack.up({ orders: { ...orders, intervalValue: 7 } })).toMatchObject(did("updated"));
      expect(emulator.jobs).toMatchObject([{ id, intervalValue: 7 }]);
      expect(await stack.destroy()).toMatchObject(did("deleted"));
      expect(emulator.jobs).toEqual([]);
    },
  );

  test.each([false, true])("shows somebody else's job before a create (adoptMatching: %s)", async (adoptMatching) => {
    const { emulator, stack, posts, use } = await fastStack({}, { faults: [inForm(edit)] });
    if (adoptMatching) use({}, emulator, adopting);
    const { id } = emulator.addJob(cachingBody(table));
    const refused = await stack.up({ orders });
    expect(refused).toMatchObject(did("failed", bothForms(table, kept)));
    expect(refused).toMatchObject({
      text: matching(new RegExp(`existingJobId: "${id}" and the values that the service has`)),
    });
    expect(await stack.preview({ orders })).toMatchObject(did("failed", id));
    use({});
    const asKept = cachingInputs("orders", kept, { existingJobId: id });
    expect(await stack.up({ orders: asKept })).toMatchObject(did("created"));
    expect(stack.state.get("orders")?.id).toBe(id);
    expect(await stack.up({ orders: asKept })).toMatchObject(did("same"));
    expect(posts()).toBe(0);
  });
});

test("A job of the stack that the service reports in another form, and lists only as a summary, has its source", async () => {
  const summaries: TestFault = { kind: "edited", on: "list", times: -1, edit: "ofSummaries" };
  const { emulator, stack, clock, posts, use } = await fastStack({}, { faults: [inForm("trimmed")] });
  const padded = cachingInputs("orders", " ORDERS ");
  await stack.up({ orders: padded });
  clock.pass(600_000);
  use({}, emulator, { env: pasted((await stack.up({ orders: padded })).text) });
  await stack.up({ orders: padded });
  use({});
  emulator.repair();
  emulator.inject(summaries, inForm("trimmed"));
  clock.pass(600_000);
  const again = cachingInputs("again", " ORDERS ");
  expect(await stack.up({ again })).toMatchObject(did({ again: "failed" }, "already has the job for this source"));
  expect([posts(), emulator.jobs.length]).toEqual([1, 1]);
});

test("A free job of the create's kind and time keeps it from being resent, whatever its source is called", async () => {
  const { emulator, stack, clock, posts } = await fastStack();
  emulator.inject({ kind: "reset", on: "create" });
  await stack.up({ orders });
  const { id } = emulator.addJob(cachingBody("table-4711"));
  clock.pass(600_000);
  expect(await stack.up({ orders })).toMatchObject(did("failed", id));
  expect(posts()).toBe(1);
  // The printed way for a job of somebody else.
  const { text } = await stack.up({ orders });
  expect(text).toMatch(/If no job is from this create, resend the create once: DATA_CONNECTIVITY_RESEND/);
});

test("A resend whose reply is lost keeps the id that the reply to the first create named", async () => {
  const { emulator, stack, clock, use } = await fastStack({}, { faults: [inForm("trimmed")] });
  const padded = cachingInputs("orders", " ORDERS ");
  const namedId = () => membersOf(stack.state.get("orders")?.outputs["origin"])["namedId"];
  await stack.up({ orders: padded });
  const [{ id } = { id: "" }] = emulator.jobs;
  emulator.removeJob(id);
  stack.savedAt = clock.now();
  clock.pass(600_000);
  use({}, emulator, { env: resending(clock.now() + 1000, urnIn(orders)) });
  emulator.repair();
  emulator.inject({ kind: "reset", on: "create", processed: false });
  expect(await stack.up({ orders: padded })).toMatchObject(did("recorded"));
  expect(namedId()).toBe(id);
});

test("Only the kind of difference is shown where the values may be secret", async () => {
  const { stack } = await fastStack({}, { faults: [inForm("escaped")] });
  const secret = { ...cachingInputs("orders", "R&D"), additionalParams: { password: "hush" } };
  const { text } = await stack.up({ orders: secret });
  expect(text).toContain("differ only in escaped characters");
  expect(text).not.toContain("hush");
});

describe.each<[Edit]>([["inBraces"], ["withoutHyphens"]])("UUIDs told %s", (edit) => {
  test("are the same ids", async () => {
    const { emulator, stack, id } = await stackWithOrders();
    for (const on of ["list", "get", "update"] as const) emulator.inject({ ...inForm(edit), on });
    expect(await stack.refresh()).toMatchObject(did("read"));
    expect(stack.state.get("orders")?.id).toBe(id);
    expect(await stack.up({ orders: { ...orders, intervalValue: 6 } })).toMatchObject(did("updated"));
    expect(
      await stack.up({ orders: { ...orders, intervalValue: 6 }, again: cachingInputs("again", "ORDERS") }),
    ).toMatchObject(did({ orders: "same", again: "failed" }, "already has the job for this source"));
    expect(await stack.destroy()).toMatchObject(did("deleted"));
    expect(emulator.jobs).toEqual([]);
  });

  test("are adopted by the source too", async () => {
    const { emulator, stack, use } = await fastStack();
    use({}, emulator, adopting);
    for (const on of ["list", "get"] as const) emulator.inject({ ...inForm(edit), on });
    emulator.addJob(cachingBody("ORDERS"));
    expect(await stack.up({ orders })).toMatchObject(did("created", "is adopted"));
    expect(emulator.jobs).toHaveLength(1);
  });
});

test("The same id at another address is another job", async () => {
  const { emulator, stack, clock, use } = await fastStack();
  emulator.addJob(cachingBody("ORDERS"), { id: "7" });
  await stack.up({ orders: { ...orders, existingJobId: "7" } });
  const other = await start({ now: clock.now });
  other.addJob(cachingBody("ITEMS"), { id: "7" });
  use({}, other, adopting);
  const { steps } = await stack.up({ items });
  expect(steps).toMatchObject({ items: "created" });
  expect(stack.state.get("items")?.id).toBe("7");
});

test("A refused change of the address keeps no job at the new address from being deleted", async () => {
  const { emulator, stack, clock, use } = await fastStack();
  emulator.addJob(cachingBody("ORDERS"), { id: "7" });
  await stack.up({ orders: { ...orders, existingJobId: "7" } });
  const other = await start({ now: clock.now });
  other.addJob(cachingBody("ITEMS"), { id: "7" });
  use({}, other);
  await stack.up({ orders, items: { ...items, existingJobId: "7" } });
  const result = await stack.up({ orders }, { continueOnError: true });
  expect(result).toMatchObject({ steps: { orders: "failed", items: "deleted" } });
  expect([emulator.jobs.length, other.jobs.length]).toEqual([1, 0]);
});

describe("Ids that are no UUIDs", () => {
  test("and differ in case are two", async () => {
    const { emulator, stack } = await fastStack();
    emulator.addJob(cachingBody("ORDERS"), { id: "Job-A" });
    emulator.addJob(cachingBody("ITEMS"), { id: "job-a" });
    const program = { orders: { ...orders, existingJobId: "Job-A" }, items: { ...items, existingJobId: "job-a" } };
    expect(await stack.up(program, { serial: true })).toMatchObject(did({ orders: "created", items: "created" }));
    expect(await stack.destroy()).toMatchObject(did({ orders: "deleted", items: "deleted" }));
  });

  test("and that the service tells in another case are one", async () => {
    const { emulator, stack } = await fastStack();
    emulator.addJob(cachingBody("ORDERS"), { id: "job-a" });
    await stack.up({ orders: { ...orders, existingJobId: "job-a" } });
    for (const on of ["list", "get"] as const) emulator.inject({ ...inForm("withCapitalIds"), on });
    expect(await stack.refresh()).toMatchObject(did("read"));
    expect(await stack.up({ orders, again: cachingInputs("again", "ORDERS") })).toMatchObject(
      did({ orders: "updated", again: "failed" }, "already has the job for this source"),
    );
    expect((await stack.up({ orders, items })).steps).toMatchObject({ items: "created" });
    expect(await stack.destroy()).toMatchObject(did({ orders: "deleted", items: "deleted" }));
    expect(emulator.jobs).toEqual([]);
  });
});

describe("A list that lacks a job that a read finds", () => {
  const empty: TestFault = { kind: "edited", on: "list", times: -1, edit: "empty" };

  test("does not prove that another job is gone", async () => {
    const { emulator, stack, clock } = await fastStack();
    await stack.up({ orders, items });
    clock.pass(3_600_000);
    emulator.removeJob(stack.state.get("items")?.id ?? "");
    emulator.inject(empty);
    expect(await stack.refresh()).toMatchObject(
      did({ orders: "read", items: "failed" }, "its list of jobs also lacks"),
    );
    expect(stack.state.size).toBe(2);
    emulator.repair();
    expect(await stack.refresh()).toMatchObject(did({ orders: "read", items: "gone" }));
  });

  test.each([
    ["beside its resource", { orders, again: cachingInputs("again", "ORDERS") }],
    ["whose resource was renamed without an alias", { again: cachingInputs("again", "ORDERS") }],
  ])("does not free the source of a job %s", async (_what, program) => {
    const { emulator, stack, clock, posts } = await fastStack();
    await stack.up({ orders });
    clock.pass(3_600_000);
    emulator.inject(empty);
    expect((await stack.preview(program)).steps).toMatchObject({ again: "failed" });
    const result = await stack.up(program);
    expect(result.steps).toMatchObject({ again: "failed" });
    expect(result.text).toContain("already has the job for this source");
    expect([posts(), emulator.jobs.length]).toEqual([1, 1]);
  });

  test("does not prove that an unconfirmed create made no job, if it lacks any job of the stack", async () => {
    const { emulator, stack, clock, posts } = await fastStack();
    await stack.up({ items });
    emulator.inject({ kind: "reset", on: "create", processed: true }, empty);
    await stack.up({ items, orders });
    clock.pass(3_600_000);
    const { steps, text } = await stack.up({ items, orders });
    expect([steps, posts()]).toEqual([{ items: "same", orders: "failed" }, 2]);
    expect(text).toContain("Run pulumi up, which looks for the job again");
    emulator.repair();
    expect((await stack.up({ items, orders })).steps).toEqual({ items: "same", orders: "updated" });
    expect([emulator.jobs.length, posts()]).toEqual([2, 2]);
  });

  test("does not free a source with a late replica's 404, after an adoption has shown what the list lacks", async () => {
    const { emulator, stack, clock, posts } = await fastStack();
    await stack.up({ orders });
    const { id } = emulator.addJob(cachingBody("ITEMS"));
    clock.pass(3_600_000);
    emulator.inject(empty, { kind: "reply", on: "get", status: 404, after: 1 });
    const program = { orders, items: { ...items, existingJobId: id }, again: cachingInputs("again", "ORDERS") };
    const { steps, text } = await stack.up(program, { serial: true, continueOnError: true });
    expect(steps).toEqual({ orders: "same", items: "created", again: "failed" });
    expect(text).toContain("already has the job for this source");
    expect(posts()).toBe(1);
  });

  test("does not prove with a late replica's 404 that a deleted job is gone", async () => {
    const { emulator, stack, id, clock } = await stackWithOrders();
    clock.pass(3_600_000);
    emulator.inject({ kind: "reply", on: "delete", status: 404 }, empty);
    expect(await stack.destroy()).toMatchObject(did("failed", "not certain"));
    expect(emulator.jobs).toMatchObject([{ id }]);
  });
});

describe("With a list of summaries and many jobs of others", () => {
  const summaries: TestFault = { kind: "edited", on: "list", times: -1, edit: "ofSummaries" };

  test("a create is refused with the limit, and no job is said to be silent that was not asked for", async () => {
    const { emulator, stack } = await fastStack();
    for (let number = 0; number < 60; number += 1) emulator.addJob(cachingBody(`t${number}`));
    emulator.inject(summaries);
    const { steps, text } = await stack.up({ orders });
    expect(steps).toEqual({ orders: "failed" });
    expect(text).toContain("reads at most 50 jobs of others by their ids");
    expect(text).not.toContain("the service does not report the source");
  });

  test("the stack's own jobs do not use up the limit", async () => {
    const { emulator, stack } = await fastStack();
    const names = Array.from({ length: 60 }, (_, number) => `t${number}`);
    const own = Object.fromEntries(names.map((name) => [name, cachingInputs(name, name)]));
    await stack.up(own);
    emulator.inject(summaries);
    expect((await stack.up({ ...own, orders })).steps).toMatchObject({ orders: "created" });
  });
});

/** Forms that no normal form undoes. */
const unforeseen = { cut: long.slice(0, 20), quoted: `"${long}"`, qualified: `PUBLIC.${long}` };

describe.each(Object.entries(unforeseen))(
  "A service that keeps a name in a form of its own (%s)",
  (_form, sourceTable) => {
    test.each([0, -60_000, 60_000, undefined])(
      "gets no second create by itself, where it dates jobs %d ms apart from its replies",
      async (apartMs) => {
        const used = await fastStack(
          {},
          {
            onRequest: ({ operation, job = "" }) => {
              if (operation !== "create") return;
              const created = apartMs === undefined ? "" : new Date(used.clock.now() + apartMs).toISOString();
              used.emulator.changeJob(job, { params: { sourceTable }, created });
            },
          },
        );
        const { stack, emulator, clock, posts } = used;
        const declared = cachingInputs("orders", long);
        emulator.inject({ kind: "reset", on: "create", processed: true });
        await stack.up({ orders: declared }, { continueOnError: true });
        stack.savedAt = clock.now();
        clock.pass(600_000);
        const { text } = await stack.up({ orders: declared }, { continueOnError: true });
        expect(text).toContain("could be from this create: only you can tell");
        expect(posts()).toBe(1);
      },
    );
  },
);

test("A job of the create's own source is asked about alone, beside jobs of the same time whose sources could be a form of it", async () => {
  const used = await fastStack(
    {},
    {
      onRequest: ({ operation, job = "" }) => {
        // Dated by another clock and changed since, so that only the user can tell.
        const created = new Date(used.clock.now() - 60_000).toISOString();
        if (operation === "create") used.emulator.changeJob(job, { created, intervalValue: 9 });
      },
    },
  );
  const { stack, emulator, clock } = used;
  emulator.addJob(cachingBody("OTHER"));
  emulator.inject({ kind: "reset", on: "create", processed: true });
  await stack.up({ orders }, { continueOnError: true });
  stack.savedAt = clock.now();
  clock.pass(600_000);
  const { id } = emulator.jobs[1] ?? {};
  const { text } = await stack.up({ orders }, { continueOnError: true });
  expect(text).toContain(`Job ${String(id)} at the service could be from this create: only you can tell`);
});

test("A confirmed change does not make a name in the service's own form drift", async () => {
  const spaced = cachingInputs("orders", " ORDERS ");
  const { emulator, stack, clock, use } = await fastStack({}, { faults: [inForm("trimmed")] });
  await stack.up({ orders: spaced });
  clock.pass(600_000);
  use({}, emulator, { env: pasted((await stack.up({ orders: spaced })).text) });
  expect(await stack.up({ orders: spaced })).toMatchObject(did("updated"));
  use({});
  emulator.changeJob(emulator.jobs[0]?.id ?? "", { intervalValue: 7 });
  const confirmed = { ...spaced, intervalValue: 7, changedAtService: "2026-11-25" };
  expect(await stack.up({ orders: confirmed })).toMatchObject(did("updated"));
  clock.pass(86_400_000);
  await stack.refresh();
  expect(await stack.up({ orders: confirmed })).toMatchObject(did("same"));
});

test("A change of a job whose name the service keeps in a form of its own takes no source from others", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  const [before, now] = [
    cachingInputs("orders", " ORDERS "),
    cachingInputs("orders", " ORDERS ", { intervalValue: 9 }),
  ];
  await stack.up({ orders: before });
  clock.pass(3_600_000);
  // The create of another resource is lost, whose source the state keeps encrypted.
  const other = cachingInputs("other", "OTHER");
  emulator.inject({ kind: "reset", on: "create", processed: false });
  expect((await stack.up({ orders: before, other })).steps).toMatchObject({ other: "recorded" });
  emulator.inject(inForm("trimmed"));
  const exportStack = () => Promise.resolve(withSecretParams(stack.export(), other));
  use({}, emulator, { exportStack });
  const { steps } = await stack.up({ orders: now, other }, { continueOnError: true });
  expect(steps).toEqual({ orders: "updated", other: "failed" });
});
