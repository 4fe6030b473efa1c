import { Agent } from "node:http";
import type { Fault, FaultScope } from "../../provider/src/testing/emulator/faults.js";
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
    [
      "every n-th that comes later than after says",
      [reply(500, { after: 1, every: 2, times: 2 })],
      [200, 200, 500, 200, 500, 200, 200],
    ],
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

  test("faults can be added while it runs", async () => {
    const emulator = await start();
    emulator.inject(reply(503), reply(429));
    expect([(await list(emulator)).status, (await list(emulator)).status, (await list(emulator)).status]).toEqual([
      503, 429, 200,
    ]);
  });

  test("no fault is applied to requests to other paths", async () => {
    const emulator = await faulty(reply(500, { times: -1 }));
    expect((await send(emulator.baseUrl, { path: "/other" })).status).toBe(404);
  });

  test("connect faults count connections", async () => {
    const emulator = await faulty({ kind: "reset", when: "connect", after: 1 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect([(await list(emulator, agent)).status, (await list(emulator, agent)).status]).toEqual([200, 200]);
    expect((await list(emulator)).failure).toMatch("ECONNRESET");
    expect(emulator.requests).toHaveLength(2);
    agent.destroy();
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
        contentType: "x/y",
        on: "sources",
        processed: true,
      },
      { kind: "silence", when: "connect", after: 1, times: -1, every: 2 },
      { kind: "delay", ms: 1 },
    ];
    expect(parseFaults(JSON.parse(JSON.stringify(faults)))).toEqual(faults);
  });

  const accepted = {
    kind: '"reply", "reset", "close", "silence" or "delay"',
    status: "a whole number from 100 to 999",
    ms: "a whole number from 0 to 2147483647",
    header: "a header that HTTP can send",
    withConnect: 'none with when: "connect", because no request has been read by then',
  };

  test.each<[unknown, string]>([
    [{}, "faults is an object. Accepted: an array of faults."],
    [["reset"], 'faults[0] is "reset". Accepted: an object with the member kind.'],
    [[{ kind: "reset" }, { kind: "explode" }], `faults[1].kind is "explode". Accepted: ${accepted.kind}.`],
    [[{ times: 1 }], `faults[0].kind is missing. Accepted: ${accepted.kind}.`],
    [[{ kind: "reply" }], `faults[0].status is missing. Accepted: ${accepted.status}.`],
    [[{ kind: "reply", status: 99 }], `faults[0].status is 99. Accepted: ${accepted.status}.`],
    [[{ kind: "reply", status: 200.5 }], `faults[0].status is 200.5. Accepted: ${accepted.status}.`],
    [
      [{ kind: "reply", status: 200, headers: { "a b": "x" } }],
      `faults[0].headers.a b is "x". Accepted: ${accepted.header}.`,
    ],
    [
      [{ kind: "reply", status: 200, headers: { a: "x\r\ny: z" } }],
      `faults[0].headers.a is "x\\r\\ny: z". Accepted: ${accepted.header}.`,
    ],
    [[{ kind: "reply", status: 200, headers: { a: 1 } }], "faults[0].headers.a is 1. Accepted: a string."],
    [
      [{ kind: "reply", status: 200, contentType: "\n" }],
      `faults[0].contentType is "\\n". Accepted: ${accepted.header}.`,
    ],
    [[{ kind: "reply", status: 200, body: [undefined] }], "faults[0].body is an array. Accepted: a JSON value."],
    [
      [{ kind: "reset", status: 200 }],
      "faults[0].status is not a member of faults[0]. Accepted: kind, on, after, times, every, processed, when.",
    ],
    [
      [{ kind: "reset", when: "later" }],
      'faults[0].when is "later". Accepted: "connect", "request", "headers" or "body".',
    ],
    [
      [{ kind: "reset", when: "connect", on: "sources" }],
      `faults[0].on is "sources". Accepted: ${accepted.withConnect}.`,
    ],
    [
      [{ kind: "close", when: "connect", processed: false }],
      `faults[0].processed is false. Accepted: ${accepted.withConnect}.`,
    ],
    [[{ kind: "close", processed: "yes" }], 'faults[0].processed is "yes". Accepted: true or false.'],
    [[{ kind: "delay", ms: -1 }], `faults[0].ms is -1. Accepted: ${accepted.ms}.`],
    [[{ kind: "delay", ms: 2 ** 31 }], `faults[0].ms is 2147483648. Accepted: ${accepted.ms}.`],
    [[{ kind: "reset", times: 0 }], "faults[0].times is 0. Accepted: a whole number from 1, or -1 for all requests."],
    [[{ kind: "reset", every: 0 }], "faults[0].every is 0. Accepted: a whole number from 1."],
    [[{ kind: "reset", after: -1 }], "faults[0].after is -1. Accepted: a whole number from 0."],
    [
      [{ kind: "reset", on: "all" }],
      'faults[0].on is "all". Accepted: "create", "sources", "connections", "accounts", "tables", "list", "get", "update" or "delete".',
    ],
  ])("%j is refused, with the path of the member and what is accepted", (value, message) => {
    expect(() => parseFaults(value)).toThrow(new Error(message));
  });
});
