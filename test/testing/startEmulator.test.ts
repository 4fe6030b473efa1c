import type { Emulator } from "../../provider/src/testing/emulator/types.js";
import { startEmulator } from "../../provider/src/testing/startEmulator.js";
import { JOB, JOBS, LIST } from "../support/emulated.js";
import { send } from "../support/rawHttp.js";

const drip = { kind: "drip", everyMs: 1 } as const;
const refused = "faults[0].kind: must be one of reply, reset, close, silence, delay";

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({
    token: "t0ken",
    dataSources: ["One"],
    jobOperations: "create",
    delayMs: 1,
    faults: [{ kind: "reply", on: "sources", status: 503 }],
  });
});
afterEach(() => emulator.stop());

const get = async (path: string) => (await send(emulator.baseUrl, { path, token: "t0ken" })).status;

test("users get every option, and the faults that a program or a pipeline can meet", async () => {
  expect([await get(LIST), await get(JOBS)]).toEqual([503, 404]);
  expect(JSON.parse((await send(emulator.baseUrl, { path: LIST, token: "t0ken" })).body.toString())).toEqual({
    dataSources: [{ dataSource: "One" }],
  });
  emulator.inject({ kind: "reply", status: 429 });
  expect(await get(LIST)).toBe(429);
  expect(emulator.requests.map(({ operation, fault }) => [operation, fault])).toEqual([
    ["sources", "reply"],
    [undefined, undefined],
    ["sources", undefined],
    ["sources", "reply"],
  ]);
  emulator.addJob(JOB, { id: "1" });
  emulator.changeJob("1", { intervalValue: 9 });
  expect(emulator.jobs).toMatchObject([{ id: "1", intervalValue: 9 }]);
  emulator.removeJob("1");
  expect(emulator.jobs).toEqual([]);
});

test("the kinds of faults of this project's own tests are refused, at the start and later", async () => {
  // @ts-expect-error The types refuse them too.
  const starting = startEmulator({ faults: [drip] });
  await expect(starting.then((started) => started.stop())).rejects.toThrow(refused);
  expect(() => {
    // @ts-expect-error The types refuse them too.
    emulator.inject(drip);
  }).toThrow(refused);
  expect(await get(LIST)).toBe(503);
});
