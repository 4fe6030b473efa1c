import type { Emulator } from "../../provider/src/testing/emulator/types.js";
import { startEmulator } from "../../provider/src/testing/startEmulator.js";
import { JOBS, LIST } from "../support/emulated.js";
import { send } from "../support/rawHttp.js";

const unknown = { kind: "explode" } as const;
const refused = 'kind is "explode". Accepted: "reply", "reset" or "delay".';

let emulator: Emulator;
beforeEach(async () => {
  emulator = await startEmulator({
    token: "t0ken",
    dataSources: ["One"],
    jobOperations: "create",
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
  emulator.inject({ kind: "reply", status: 429 }, { kind: "reply", status: 502 });
  expect([await get(LIST), await get(LIST)]).toEqual([429, 502]);
});

test("a kind of fault that does not exist is refused, at the start and later, and what stands beside it is not added", async () => {
  // @ts-expect-error The types refuse them too.
  const starting = startEmulator({ faults: [unknown] });
  await expect(starting.then((started) => started.stop())).rejects.toThrow(refused);
  expect(() => {
    // @ts-expect-error The types refuse them too.
    emulator.inject({ kind: "reply", status: 429 }, unknown);
  }).toThrow(refused);
  expect([await get(LIST), await get(LIST)]).toEqual([503, 200]);
});
