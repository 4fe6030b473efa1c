import { MemoryNotes } from "../../support/all/memoryNotes.js";
import { cachingBody, cachingInputs } from "../../support/all/declarations.js";
import { pluginHere } from "../../support/driver/here.js";
import { start, stopAll } from "../../support/emulated.js";
import { FastClock } from "../../support/fastClock.js";
import { secret, urnOf } from "../../support/plugin/inputs.js";

afterEach(stopAll);

test("An import names a killed create of another table, which a note shows", async () => {
  const clock = new FastClock();
  const service = await start({ now: clock.now });
  const { baseUrl, token } = service;
  const createNotes = new MemoryNotes();
  const sent = { urn: urnOf("orders"), at: new Date(clock.now()).toISOString(), sentMs: clock.now() };
  createNotes.leave({ ...sent, baseUrl, account: undefined, declared: cachingInputs("orders", "ITEMS") });
  const { id } = service.addJob(cachingBody("ORDERS"));
  clock.pass(3_600_000);
  const lines: string[] = [];
  const deployment = { manifest: { time: new Date(clock.now()).toISOString() }, resources: [], pending_operations: [] };
  const exportStack = () => Promise.resolve(JSON.stringify({ version: 3, deployment }));
  const plugin = pluginHere((line) => lines.push(line), {}, { clock, createNotes, exportStack });
  await plugin.configure({ baseUrl, token: secret(token), jobOperations: "all" });
  await plugin.import("orders", id);
  expect(lines.join("\n")).toContain("sourceTable ITEMS");
});
