import type { Fault, FaultScope } from "../../provider/src/testing/emulator/faults.js";
import { callNames } from "../../provider/src/client/calls.js";
import { parseFaults } from "../../provider/src/testing/emulator/parseFaults.js";
import { faulty, list, start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { send } from "../support/rawHttp.js";

afterEach(stopAll);

describe("Which requests a fault applies to:", () => {
  /** The statuses of `count` list calls in a row. */
  async function statuses(faults: TestFault[], count: number): Promise<(number | undefined)[]> {
    const emulator = await start({ faults });
    const seen = [];
    for (let index = 0; index < count; index += 1) seen.push((await list(emulator)).status);
    return seen;
  }
  const reply = (status: number, scope: FaultScope = {}): TestFault => ({ kind: "reply", status, ...scope });

  test.each<[string, TestFault[], number[]]>([
    ["one, by default", [reply(500)], [500, 200, 200]],
    ["as many as times says", [reply(500, { times: 2 })], [500, 500, 200]],
    ["all, with times -1", [reply(500, { times: -1 })], [500, 500, 500, 500]],
    ["those that come later than after says", [reply(500, { after: 2 })], [200, 200, 500, 200]],
    ["not those of the other operation", [reply(500, { on: "create" })], [200]],
    [
      "one after the other, in the order of the faults",
      [reply(500), reply(501, { times: 2 }), reply(502)],
      [500, 501, 501, 502, 200],
    ],
    [
      "not those that an earlier fault took, in the count of after",
      [reply(500), reply(501, { after: 1 })],
      [500, 200, 501, 200],
    ],
  ])("%s", async (_name, faults, expected) => {
    expect(await statuses(faults, expected.length)).toEqual(expected);
  });

  test("no fault is applied to requests to other paths", async () => {
    const emulator = await faulty(reply(500, { times: -1 }));
    expect((await send(emulator.baseUrl, { path: "/other" })).status).toBe(404);
  });
});

describe("parseFaults", () => {
  test("faults are handed back as they are", () => {
    const faults: Fault[] = [
      {
        kind: "reply",
        status: 200,
        headers: { A: "b" },
        body: [1, { a: null }],
        on: "sources",
        processed: true,
      },
      { kind: "reset", after: 1, times: -1 },
    ];
    expect(parseFaults(JSON.parse(JSON.stringify(faults)))).toEqual(faults);
  });

  const kinds = '"reply", "reset" or "delay"';
  const statuses = "a whole number from 100 to 999";
  const header = "a header that HTTP can send";
  const operations = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(
    callNames.map((operation) => `"${operation}"`),
  );
  const reply = { kind: "reply", status: 200 };
  const reset = { kind: "reset" };

  test.each<[fault: unknown, problem: string, accepted: string]>([
    ["reset", ' is "reset"', "an object with the member kind"],
    [{ kind: "explode" }, '.kind is "explode"', kinds],
    [{ times: 1 }, ".kind is missing", kinds],
    [{ kind: "reply" }, ".status is missing", statuses],
    [{ ...reply, status: 99 }, ".status is 99", statuses],
    [{ ...reply, status: 200.5 }, ".status is 200.5", statuses],
    [{ ...reply, headers: { "a b": "x" } }, '.headers["a b"] is "x"', header],
    [{ ...reply, headers: { a: "x\r\ny: z" } }, String.raw`.headers.a is "x\r\ny: z"`, header],
    [{ ...reply, headers: { a: 1 } }, ".headers.a is 1", "a string"],
    [{ ...reply, body: [undefined] }, ".body is an array", "a JSON value"],
    [{ ...reset, status: 200 }, ".status is not a member of faults[1]", "kind, on, after, times, processed"],
    [{ ...reset, processed: "yes" }, '.processed is "yes"', "true or false"],
    [{ ...reset, times: 0 }, ".times is 0", "a whole number from 1, or -1 for all requests"],
    [{ ...reset, after: -1 }, ".after is -1", "a whole number from 0"],
    [{ ...reset, on: "all" }, '.on is "all"', operations],
  ])("%j is refused, with the path of the member and what is accepted", (fault, problem, accepted) => {
    expect(() => parseFaults([reset, fault])).toThrow(new Error(`faults[1]${problem}. Accepted: ${accepted}.`));
  });

  test("what is no array is refused", () => {
    expect(() => parseFaults({})).toThrow(new Error("faults is an object. Accepted: an array of faults."));
  });
});
