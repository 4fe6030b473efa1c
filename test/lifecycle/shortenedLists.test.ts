import { isObject, membersOf, parseJson } from "../../provider/src/json.js";
import { cachingBody, orders, queryInputs } from "../support/all/declarations.js";
import { through, type Edit } from "../support/all/editedReplies.js";
import { did, fastStack } from "../support/all/inProcess.js";
import { stopAll } from "../support/emulated.js";

afterEach(stopAll);

const long = "select customer_id, order_id, amount, currency from orders where created > dateadd(day, -1, getdate())";
const short = `${long.slice(0, 50)}...`;

/** A list that shortens long texts, as for a page's table. A read by id tells them whole. */
const list: Edit = ({ body }) => {
  const { jobs } = membersOf(parseJson(body));
  const shorten = (value: unknown) => (value === long ? short : value);
  const edit = (job: Readonly<Record<string, unknown>>) => ({
    ...job,
    params: Object.fromEntries(Object.entries(membersOf(job["params"])).map(([name, one]) => [name, shorten(one)])),
  });
  return Array.isArray(jobs) ? { body: JSON.stringify({ jobs: jobs.filter(isObject).map(edit) }) } : {};
};
const old = { created: "2020-01-01T00:00:00Z" };

test("A change of the schedule leaves an undeclared member of an adopted job as it is", async () => {
  const { stack, emulator, use } = await fastStack();
  const { params, ...body } = cachingBody("ORDERS");
  const { id } = emulator.addJob({ ...body, params: { ...membersOf(params), filter: long } }, old);
  use({}, emulator, { transport: through({ list }) });
  const adopted = { ...orders, existingJobId: id };
  expect((await stack.up({ orders: adopted })).steps).toEqual({ orders: "created" });
  expect((await stack.up({ orders: { ...adopted, intervalValue: 9 } })).steps).toEqual({ orders: "updated" });
  expect(membersOf(emulator.jobs[0]?.params)["filter"]).toBe(long);
});

test("A refresh shows no drift of a job that nobody has changed", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  const report = queryInputs("report", { name: "report", query: long });
  use({}, emulator, { transport: through({ list }) });
  await stack.up({ report });
  clock.pass(3_600_000);
  await stack.refresh();
  expect(membersOf(stack.state.get("report")?.outputs["params"])["query"]).toBe(long);
});

test("After a refresh, a change under ignoreChanges of params leaves the query as it is", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  const report = queryInputs("report", { name: "report", query: long });
  use({}, emulator, { transport: through({ list }) });
  await stack.up({ report });
  clock.pass(3_600_000);
  await stack.refresh();
  // What the engine makes of ignoreChanges: ["params"].
  const params = membersOf(stack.state.get("report")?.outputs["params"]);
  await stack.up({ report: { ...report, params, intervalValue: 9 } });
  expect(membersOf(emulator.jobs[0]?.params)["query"]).toBe(long);
});

test("A change keeps what somebody has just added to a job, though the read by its id is late", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  expect(await stack.up({ orders })).toMatchObject(did("created"));
  const [{ id, params, lastModified } = { id: "", params: {}, lastModified: "" }] = emulator.jobs;
  clock.pass(3_600_000);
  const late: Edit = ({ body }) => ({
    body: body.replace(/,"filter":"[^"]*"/, "").replace(/"lastModified":"[^"]*"/, `"lastModified":"${lastModified}"`),
  });
  use({}, emulator, { transport: through({ get: late }) });
  emulator.changeJob(id, { params: { ...membersOf(params), filter: "AMOUNT > 0" } });
  await stack.refresh();
  expect(stack.state.get("orders")?.outputs["job"]).toMatchObject({ params: { filter: "AMOUNT > 0" } });
  emulator.changeJob(id, { params: { ...membersOf(params), filter: "AMOUNT > 1" } });
  expect(await stack.up({ orders: { ...orders, intervalValue: 9 } })).toMatchObject(did("updated"));
  expect(membersOf(emulator.jobs[0]?.params)["filter"]).toBe("AMOUNT > 1");
});

test("A change keeps what a refresh has saved, though the list and the first read by id are late", async () => {
  const { stack, emulator, clock, use } = await fastStack();
  await stack.up({ orders });
  const [{ id } = { id: "" }] = emulator.jobs;
  const give = async (filter: string) => {
    clock.pass(3_600_000);
    emulator.changeJob(id, { params: { ...membersOf(emulator.jobs[0]?.params), filter } });
    await stack.refresh();
    return emulator.jobs.map((job) => ({ ...job, params: { ...job.params } }));
  };
  const [first, second] = [await give("AMOUNT > 0"), await give("AMOUNT > 1")];
  await give("AMOUNT > 2");
  const lateUntil = clock.now() + 8000;
  const late =
    (jobs: unknown): Edit =>
    () =>
      clock.now() < lateUntil ? { body: JSON.stringify({ jobs }) } : {};
  use({}, emulator, { transport: through({ list: late(second), get: late(first) }) });
  expect(await stack.up({ orders: { ...orders, intervalValue: 9 } })).toMatchObject(did("updated"));
  expect(membersOf(emulator.jobs[0]?.params)["filter"]).toBe("AMOUNT > 2");
});
