import { membersOf } from "../../provider/src/json.js";
import { cachingBody, cachingInputs, changed, items, orders } from "../support/all/declarations.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { create, posts, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { jwt } from "../support/jwt.js";
import { matching } from "../support/matchers.js";

// Somebody moves jobs while a run waits, or between two runs.

afterEach(stopAll);

const serially = { serial: true, continueOnError: true };
const tableOf = ({ params }: { readonly params?: unknown }) => membersOf(params)["sourceTable"];
const limited = (on: "create" | "update"): TestFault => ({
  ...{ kind: "reply", status: 429, headers: { "Retry-After": "60" }, times: 1, on },
});
const summaries: TestFault = { kind: "edited", on: "list", times: -1, edit: "withoutParams" };
/** Only ids, names and types: nothing shows whether a job has changed. */
const undated: TestFault = { ...summaries, edit: "ofSummaries" };

/** A service whose list tells only summaries. While a request waits, somebody gives a job this table. */
async function movingTo(sourceTable: string) {
  const job = { id: "" };
  const place = await fastStack(
    {},
    {
      onRequest: ({ status }) => {
        const found = place.emulator.jobs.find(({ id }) => id === job.id);
        if (status === 429 && found !== undefined)
          place.emulator.changeJob(job.id, { params: { ...found.params, sourceTable } });
      },
    },
  );
  return { ...place, job };
}

test.each([
  ["create", summaries],
  ["update", summaries],
  ["create", undated],
  ["update", undated],
] as const)("What a read showed before a wait frees no source: %s, %j", async (on, list) => {
  const { emulator, stack, job } = await movingTo("ORDERS");
  if (on === "update") await stack.up({ orders: cachingInputs("orders", "BEFORE") });
  job.id = emulator.addJob(cachingBody("OTHER")).id;
  emulator.inject(list, limited(on));
  expect((await stack.up({ orders })).steps).toEqual({ orders: "failed" });
  expect(emulator.jobs.filter((one) => tableOf(one) === "ORDERS")).toHaveLength(1);
});

test.each([
  ["existingJobId", summaries],
  ["adoptMatching", summaries],
  ["existingJobId", undated],
  ["adoptMatching", undated],
] as const)("What a read showed before a wait adopts no job: %s, %j", async (how, list) => {
  const { emulator, stack, use, job } = await movingTo("THEIRS");
  job.id = emulator.addJob({ ...cachingBody("ITEMS"), enabled: true }).id;
  emulator.inject(list, limited("create"));
  if (how === "adoptMatching") use({}, emulator, { env: { DATA_CONNECTIVITY_ADOPT_MATCHING: "true" } });
  await stack.up({ orders, items: how === "existingJobId" ? { ...items, existingJobId: job.id } : items }, serially);
  expect(stack.state.get("items")?.id).not.toBe(job.id);
});

test.each(["new", "moved"])("A read that dates jobs in another way than the list frees no source: %s", async (how) => {
  const { emulator, stack } = await fastStack();
  if (how === "moved") await stack.up({ orders: cachingInputs("orders", "BEFORE") });
  emulator.addJob(cachingBody("ORDERS"));
  emulator.inject(summaries, { kind: "edited", on: "get", times: -1, edit: "datedInSeconds" });
  expect((await stack.up({ orders })).steps).toEqual({ orders: "failed" });
  expect(emulator.jobs.filter((one) => tableOf(one) === "ORDERS")).toHaveLength(1);
});

test.each([
  ["whole jobs", []],
  ["summaries", [summaries]],
])(
  "A change does not move a job back to a source that another job has by now; the list tells %s",
  async (_how, faults) => {
    const { emulator, stack, clock } = await fastStack();
    emulator.inject(...faults);
    await stack.up({ orders });
    const [{ id, params } = { id: "", params: {} }] = emulator.jobs;
    emulator.changeJob(id, { params: { ...params, sourceTable: "ARCHIVE" } });
    await create(emulator, cachingBody("ORDERS"));
    clock.pass(3_600_000);
    const now = { orders: { ...orders, intervalValue: 9 } };
    const refused = did("failed", matching(/exists already.*If somebody has changed it at the service, declare/s));
    expect(await stack.up(now)).toMatchObject(refused);
    expect(emulator.jobs.filter((one) => tableOf(one) === "ORDERS")).toHaveLength(1);
  },
);

test.each(["cannot be had", "lacks the job"])(
  "A change moves no job back to a source that another job has by now, though the list %s",
  async (how) => {
    const { emulator, stack, clock } = await fastStack();
    await stack.up({ orders });
    const [{ id, params } = { id: "", params: {} }] = emulator.jobs;
    emulator.changeJob(id, { params: { ...params, sourceTable: "ARCHIVE" } });
    const other = { ...cachingBody("ORDERS"), id: emulator.addJob(cachingBody("ORDERS")).id };
    clock.pass(3_600_000);
    const list = { kind: "reply", on: "list", times: -1 } as const;
    emulator.inject(
      how === "lacks the job" ? { ...list, status: 200, body: { jobs: [other] } } : { ...list, status: 503 },
    );
    expect((await stack.up({ orders: { ...orders, intervalValue: 9 } })).steps).toEqual({ orders: "failed" });
    expect(emulator.jobs.filter((one) => tableOf(one) === "ORDERS")).toHaveLength(1);
  },
);

test.each([serially, {}])("A change that moves its job back leaves its source to nobody else: %j", async (how) => {
  const { emulator, stack, clock } = await fastStack();
  await stack.up({ orders });
  const [{ id, params } = { id: "", params: {} }] = emulator.jobs;
  emulator.changeJob(id, { params: { ...params, sourceTable: "ARCHIVE" } });
  clock.pass(3_600_000);
  // The create gate is open before the job is moved back.
  const program = { items, orders: { ...orders, intervalValue: 9 }, more: cachingInputs("more", "ORDERS") };
  await stack.up(program, how);
  expect(emulator.jobs.filter((one) => tableOf(one) === "ORDERS")).toHaveLength(1);
});

test.each([serially, {}])("In a preview, a change of the source leaves it to nobody else: %j", async (how) => {
  const { stack } = await fastStack();
  await stack.up({ orders: cachingInputs("orders", "BEFORE") });
  const { steps } = await stack.preview({ items, orders, more: cachingInputs("more", "ORDERS") }, how);
  expect(Object.values(steps)).toContain("failed");
});

test.each([
  ["alone", orders],
  ["with a change that was made at the service", changed],
])("A token that does not see the job confirms nothing: changedAtService %s", async (_how, declared) => {
  const tokenOf = (sub: string) => jwt({ iss: "parent", sub });
  const { emulator, stack, use } = await fastStack({}, { acceptToken: () => true });
  use({}, { ...emulator, token: tokenOf("own") });
  await stack.up({ orders });
  const [{ id } = { id: "" }] = emulator.jobs;
  // Another account does not see it.
  emulator.removeJob(id);
  use({}, { ...emulator, token: tokenOf("other") });
  const confirmed = { orders: { ...declared, changedAtService: "2026-11-29" } };
  expect((await stack.up(confirmed)).text).toContain("Or, if the job is gone, remove this resource from the state:");
  await stack.refresh();
  await stack.up(confirmed);
  expect([stack.state.get("orders")?.id, posts(emulator.requests)]).toEqual([id, 1]);
});
