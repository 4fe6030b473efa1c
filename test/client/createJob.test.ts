import { createServer, type Socket } from "node:net";
import { preflight } from "../../provider/src/client/requests.js";
import { close, listen, unheardAddress } from "../support/servers.js";
import { faultRows, unconfirmed, unsent, type Expected, type Seen } from "./createFaults.js";
import { FastClock } from "../support/fastClock.js";
import { posts, start, stopAll } from "../support/emulated.js";
import { startTestServer, type TestFault } from "../support/emulator/index.js";
import { expectedOfStatuses } from "../support/statuses.js";
import { admit, create, endOf, messageOf, sendCreate, clientAt, TOKEN } from "../support/testService.js";

afterEach(stopAll);

/** A long limit, because another thread inflates large replies and does DNS lookups, which take an unknown time. */
const patienceMs = 600_000;

/**
 * What becomes of a create at this address, with time limits that take no real time. Each reply that must arrive takes
 * less than `replyMs`. `counted`: what arrived at the service.
 */
async function seen(baseUrl: string, replyMs = 500, counted?: () => Omit<Seen, "outcome" | "says">): Promise<Seen> {
  const outcome = await create(clientAt(baseUrl, {}, { clock: new FastClock(replyMs) }));
  const counts = counted?.() ?? { posts: 0, lists: 0, jobs: 0 };
  return { outcome: endOf(outcome), says: messageOf(outcome), ...counts };
}

async function emulated(...faults: TestFault[]): Promise<Seen> {
  const emulator = await startTestServer({ token: TOKEN, faults });
  const count = (method: string) => emulator.requests.filter((request) => request.method === method).length;
  const isLarge = faults.some(({ kind }) => kind === "bomb");
  try {
    return await seen(emulator.baseUrl, isLarge ? patienceMs : undefined, () => ({
      posts: count("POST"),
      lists: count("GET"),
      jobs: emulator.jobs.length,
    }));
  } finally {
    await emulator.stop();
  }
}

/** Faults in the middle of a reply. None of the replies shows a job. */
const bytes: readonly (readonly [string, (socket: Socket) => void, Expected])[] = [
  [
    "headers without end",
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`),
    unconfirmed(0, /HPE_HEADER_OVERFLOW/),
  ],
  [
    "gzip that is none",
    (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"),
    unconfirmed(0, /cut off/),
  ],
  [
    "400 whose body breaks off",
    (socket) => socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 99\r\n\r\n{"),
    unconfirmed(0, /failed: the reply was cut off\./),
  ],
  [
    "a lone half of a surrogate pair",
    (socket) => socket.end('HTTP/1.1 500 No\r\n\r\n{"message":"\\ud800"}'),
    unconfirmed(0, /HTTP 500: \ufffd\./),
  ],
  [
    "a job whose id has control characters",
    (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"jobs":[{"id":"J\\u001b[2J\\n  - Run: x"}]}'),
    unconfirmed(0, /The reply has no readable job\. The id of its job has control characters: J - Run: x\.$/),
  ],
];

/** The create at a TCP server that answers the list, and hands over each create's connection once it has read the request. */
async function raw(onCreate: (socket: Socket) => void): Promise<Seen> {
  const arrived = { posts: 0, lists: 0, jobs: 0 };
  const open = new Set<Socket>();
  const list = JSON.stringify({ dataSources: [{ dataSource: "Snowflake" }] });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    let text = "";
    open.add(socket);
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      const [head = "", content] = text.split("\r\n\r\n");
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (content === undefined || content.length < length) return;
      text = "";
      if (head.startsWith("POST")) {
        arrived.posts += 1;
        onCreate(socket);
      } else {
        arrived.lists += 1;
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${list.length}\r\nConnection: close\r\n\r\n${list}`);
      }
    });
  });
  const port = await listen(server);
  try {
    return await seen(`http://127.0.0.1:${port}`, undefined, () => arrived);
  } finally {
    await close(server, open);
  }
}

const unheard = unsent(/no connection to 127\.0\.0\.1:\d+ could be made \(ECONNREFUSED\) \(\d tries\)/);

describe("One create: its outcome, its requests and its message", () => {
  const results = new Map<string, Promise<Seen>>();
  const rows: (readonly [string, Expected, () => Promise<Seen>])[] = [
    ...faultRows.map(([name, fault, expected]) => [name, expected, () => emulated(fault)] as const),
    ...bytes.map(([name, answer, expected]) => [name, expected, () => raw(answer)] as const),
    ["a port on which nobody listens", unheard, () => seen(unheardAddress, patienceMs)],
  ];

  // Many rows wait for a timeout, so rows run in parallel, but not all rows at once: a busy machine would change the
  // outcomes.
  beforeAll(async () => {
    await emulated();
    let free: Promise<unknown>[] = Array.from({ length: 8 }, () => Promise.resolve());
    for (const [name, , run] of rows) {
      const [first, ...others] = free;
      const result = (first ?? Promise.resolve()).then(run);
      results.set(name, result);
      free = [...others, result.catch(() => undefined)];
    }
  });

  test.each(rows)("%s", async (name, { says, ...expected }) => {
    const result = await results.get(name);
    expect(result).toMatchObject(expected);
    expect(result?.says).toMatch(says);
    expect(result?.says).not.toContain(TOKEN);
  });
});

test.each(expectedOfStatuses)("After a create with $name, the next one is sent unless all are ended", async (row) => {
  for (const status of row.statuses) {
    const faults: TestFault[] = [{ kind: "reply", on: "create", status, times: -1 }];
    const { baseUrl, requests } = await start({ token: TOKEN, faults });
    const client = clientAt(baseUrl);
    await create(client);
    const sent = posts(requests);
    await create(client);
    expect([status, posts(requests) > sent]).toEqual([status, row.ends === undefined]);
  }
});

test("After a create that found no connection, no other is sent", async () => {
  const { baseUrl, stop } = await start({ token: TOKEN });
  const client = clientAt(baseUrl);
  const first = await admit(client, {
    label: "the first",
    preflight: async () => {
      const why = await preflight(client);
      await stop();
      return why;
    },
    send: () => sendCreate(client),
  });
  expect(messageOf(first)).toMatch(/ECONNREFUSED/);
  expect(messageOf(await create(client))).toMatch(/^Not sent: see the error on the first\./);
});
