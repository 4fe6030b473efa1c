import type { Socket } from "node:net";
import { unheardAddress } from "../support/servers.js";
import { refused, unconfirmed, unsent, type Expected, type Seen } from "../support/createJob/expectations.js";
import { bodies, brokenConnections, statuses } from "../support/createJob/createFaults.js";
import { listFaults } from "../support/createJob/listFaults.js";
import { FastClock } from "../support/fastClock.js";
import { startTestServer, type TestFault } from "../support/emulator/index.js";
import { create, rawService, serviceAt, messageOf, TOKEN } from "../support/testService.js";

/** A service whose time limits take no real time. Each reply that must arrive takes less than `replyMs`. */
const hurried = (baseUrl: string, replyMs = 500) => serviceAt(baseUrl, {}, { clock: new FastClock(replyMs) }).service;

/** A long limit, because another thread inflates large replies and does DNS lookups, which take an unknown time. */
const patienceMs = 600_000;

async function emulated(faults: readonly TestFault[], replyMs?: number): Promise<Seen> {
  const emulator = await startTestServer({ token: TOKEN, faults });
  const { baseUrl } = emulator;
  try {
    const outcome = await create(hurried(baseUrl, replyMs));
    const count = (method: string) => emulator.requests.filter((request) => request.method === method).length;
    return {
      outcome: outcome.outcome,
      posts: count("POST"),
      lists: count("GET"),
      jobs: emulator.jobs.length,
      says: messageOf(outcome),
    };
  } finally {
    await emulator.stop();
  }
}

/** Faults in the middle of a reply. None of the replies shows a job. */
const half = "HTTP/1.1 200 OK\r\nContent-Ty";
const bytes: readonly (readonly [string, (socket: Socket) => void, Expected])[] = [
  [
    "half of the headers, then RST",
    (socket) => socket.write(half, () => setTimeout(() => socket.resetAndDestroy(), 50)),
    unconfirmed(0, /ECONNRESET/),
  ],
  ["half of the headers, then FIN", (socket) => socket.end(half), unconfirmed(0, /broke before a reply came/)],
  ["half of the headers, then silence", (socket) => socket.write(half), unconfirmed(0, /no reply came in time/)],
  [
    "headers without end",
    (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(100_000)}`),
    unconfirmed(0, /HPE_HEADER_OVERFLOW/),
  ],
  [
    "two lengths that differ",
    (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\n{}"),
    unconfirmed(0, /broke before a reply/),
  ],
  [
    "a promise to go on, and nothing",
    (socket) => socket.write("HTTP/1.1 100 Continue\r\n\r\n"),
    unconfirmed(0, /no reply came in time/),
  ],
  [
    "another protocol",
    (socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    unconfirmed(0, /broke before a reply|no reply came in time/),
  ],
  [
    "gzip that is none",
    (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd"),
    unconfirmed(0, /cut off/),
  ],
  [
    "400 whose body breaks off",
    (socket) => socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 99\r\n\r\n{"),
    refused(/HTTP 400: the reply was cut off\. No job was created/),
  ],
  [
    "400 whose body never comes",
    (socket) => socket.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 99\r\n\r\n{"),
    refused(/HTTP 400: the reply took too long/),
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

async function raw(answer: (socket: Socket) => void): Promise<Seen> {
  const server = await rawService(answer);
  try {
    const outcome = await create(hurried(server.baseUrl));
    return {
      outcome: outcome.outcome,
      posts: server.posts.length,
      lists: server.lists.length,
      jobs: 0,
      says: messageOf(outcome),
    };
  } finally {
    await server.stop();
  }
}

/** Addresses at which there is no service. */
const addresses: readonly (readonly [string, () => Promise<string>, Expected])[] = [
  [
    "a port on which nobody listens",
    () => Promise.resolve(unheardAddress),
    unsent(/no connection to 127\.0\.0\.1:\d+ could be made \(ECONNREFUSED\) \(\d tries\)/),
  ],
  [
    "a name that nobody knows",
    () => Promise.resolve("https://nobody.invalid"),
    unsent(/no connection to nobody\.invalid could be made \((ENOTFOUND|EAI_AGAIN)\)/),
  ],
];

const isLarge = (kind: TestFault["kind"]): boolean => kind === "bomb" || kind === "oversized";

async function unreachable(baseUrl: string): Promise<Seen> {
  const outcome = await create(hurried(baseUrl, patienceMs));
  return { outcome: outcome.outcome, posts: 0, lists: 0, jobs: 0, says: messageOf(outcome) };
}

describe("One create: its outcome, its requests and its message", () => {
  const results = new Map<string, Promise<Seen>>();
  const rows: (readonly [string, Expected, () => Promise<Seen>])[] = [
    ...[...brokenConnections, ...bodies, ...statuses, ...listFaults].map(
      ([name, faults, expected]) =>
        [
          name,
          expected,
          () => emulated(faults, faults.some(({ kind }) => isLarge(kind)) ? patienceMs : undefined),
        ] as const,
    ),
    ...bytes.map(([name, answer, expected]) => [name, expected, () => raw(answer)] as const),
    ...addresses.map(
      ([name, address, expected]) => [name, expected, async () => unreachable(await address())] as const,
    ),
  ];

  // Many rows wait for a timeout, so rows run in parallel, but not all rows at once: a busy machine would change the
  // outcomes.
  beforeAll(async () => {
    await emulated([]);
    let free: Promise<unknown>[] = Array.from({ length: 8 }, () => Promise.resolve());
    for (const [name, , run] of rows) {
      const [first, ...others] = free;
      const result = (first ?? Promise.resolve()).then(run);
      results.set(name, result);
      free = [...others, result.catch(() => undefined)];
    }
  });

  test.each(rows)("%s", async (name, { says, ...expected }) => {
    const seen = await results.get(name);
    expect(seen).toMatchObject(expected);
    expect(seen?.says).toMatch(says);
    expect(seen?.says).not.toContain(TOKEN);
  });
});
