import { unknownValue } from "../../provider/src/unknown.js";
import { cachingBody, cachingInputs, changed, items, orders, queryInputs } from "../support/all/declarations.js";
import { fastStack } from "../support/all/inProcess.js";
import { runCommand } from "../support/all/runCommand.js";
import { stopAll } from "../support/emulated.js";
import { saying } from "../support/matchers.js";

afterEach(stopAll);

test("A preview of a stack without changes asks the service nothing", async () => {
  const same = { steps: { orders: "same" }, lines: [], requests: [] };
  expect(await runCommand("preview")).toMatchObject(same);
});

test("A preview of a new job asks for three lists, and changes nothing", async () => {
  const { stack, before, ...told } = await runCommand("preview", { program: { orders, items } });
  expect(told).toMatchObject({
    steps: { orders: "same", items: "created" },
    lines: [],
    requests: ["list", "connections", "tables"],
  });
  expect(stack.state).toEqual(before);
});

test("A preview refuses a new job whose source someone else's job has, and the up that follows does too", async () => {
  const { emulator, stack } = await runCommand("refresh");
  const { id } = emulator.addJob(cachingBody("ITEMS"));
  const refused = { steps: { items: "failed" }, text: saying(`A job for this source exists already: job ${id}`) };
  expect(await stack.preview({ orders, items })).toMatchObject(refused);
  expect(await stack.up({ orders, items })).toMatchObject(refused);
});

test("In mode create a preview refuses a change, and sends nothing", async () => {
  const given = { settings: { jobOperations: "create" }, program: { orders: changed } };
  const { steps, lines, requests } = await runCommand("preview", given);
  expect({ steps, requests }).toEqual({ steps: { orders: "failed" }, requests: [] });
  expect(lines).toContainEqual(saying("intervalValue: 4 → 6"));
});

test("A query that loses its name leaves it to another one, in the preview too", async () => {
  const { stack } = await fastStack();
  await stack.up({ a: queryInputs("a", { name: "N", query: "SELECT 1" }) });
  const program = { a: queryInputs("a", { query: "SELECT 1" }), b: queryInputs("b", { name: "N", query: "SELECT 2" }) };
  const preview = await stack.preview(program, { serial: true });
  expect(preview.steps).toEqual({ a: "updated", b: "created" });
  expect((await stack.up(program, { serial: true })).steps).toEqual(preview.steps);
});

test("A job whose new table is not known yet may leave the old one to another job", async () => {
  const { stack } = await fastStack();
  await stack.up({ a: cachingInputs("a", "A") });
  const b = cachingInputs("b", "A");
  const preview = await stack.preview({ a: cachingInputs("a", unknownValue), b }, { serial: true });
  expect(preview.steps).toEqual({ a: "updated", b: "created" });
  expect((await stack.up({ a: cachingInputs("a", "NEW"), b }, { serial: true })).steps).toEqual(preview.steps);
});
