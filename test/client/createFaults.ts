import type { TestFault } from "../support/emulator/index.js";
import { TOKEN } from "../support/testService.js";

export interface Seen {
  readonly outcome: string;
  /** POST requests that the service read to the end. */
  readonly posts: number;
  readonly lists: number;
  readonly jobs: number;
  readonly says: string;
}

export interface Expected extends Partial<Omit<Seen, "says">> {
  readonly says: RegExp;
}

const status = (code: number, more: object = {}): TestFault => ({ kind: "reply", status: code, ...more });

export const unconfirmed = (jobs: number, says: RegExp): Expected => ({ outcome: "unconfirmed", posts: 1, jobs, says });
/** Unconfirmed, because the reply, of which the message says this, shows no job. */
const noJob = (says: RegExp): Expected =>
  unconfirmed(0, new RegExp(`${says.source}\\. The reply has no readable job\\.$`));
const created = (): Expected => ({ outcome: "created", posts: 1, jobs: 1, says: /^$/ });
export const refused = (says: RegExp): Expected => ({ outcome: "notCreated", posts: 1, jobs: 0, says });
export const unsent = (says: RegExp): Expected => ({ outcome: "notCreated", posts: 0, jobs: 0, says });

type Row = readonly [name: string, fault: TestFault, expected: Expected];

/** A connection that ends by RST, FIN or silence: before the reply, after its headers, or within its body. */
const brokenConnections: Row[] = (["reset", "close", "silence"] as const).flatMap((kind) =>
  (["request", "headers", "body"] as const).map((when): Row => {
    const says =
      when === "request"
        ? kind === "silence"
          ? /failed: no reply came in time\.$/
          : /failed: the connection broke before a reply came \(ECONNRESET\)\.$/
        : kind === "silence"
          ? /failed: the reply took too long\.$/
          : /failed: the reply was cut off\.$/;
    return [`${kind} at the ${when}`, { kind, when, processed: true }, unconfirmed(1, says)];
  }),
);

const bodies: Row[] = [
  ...(["length", "chunked", "closeDelimited"] as const).map((framing): Row => [
    `half a body, framed by ${framing}`,
    { kind: "truncated", framing, processed: true },
    unconfirmed(
      1,
      framing === "closeDelimited"
        ? /that is not JSON \(application\/json.*\. The reply has no readable job\.$/
        : /the reply was cut off/,
    ),
  ]),
  ["a reply that drips for ever", { kind: "drip", everyMs: 50 }, unconfirmed(1, /took too long/)],
  ["a bomb of 2 GiB", { kind: "bomb", mebibytes: 2048 }, unconfirmed(0, /larger than 64 MiB/)],
  ["bytes that are not HTTP", { kind: "garbage", processed: true }, unconfirmed(1, /broke before a reply/)],
  [
    "a job under another content type",
    status(200, { processed: true, headers: { "Content-Type": "text/html" } }),
    created(),
  ],
  ["a job with 201", status(201, { processed: true }), created()],
  [
    "a page with 200",
    status(200, { body: "<html>Sign in", headers: { "Content-Type": "text/html" } }),
    unconfirmed(
      0,
      /HTTP 200 with a web page\. The reply has no readable job\. Check data-connectivity:baseUrl: it must be the address of the service/,
    ),
  ],
  ["an empty 200", status(200, { body: "" }), noJob(/HTTP 200 with an empty body/)],
  ["204", status(204), noJob(/HTTP 204 with an empty body/)],
  ["jobs: null", status(200, { body: { jobs: null } }), noJob(/HTTP 200/)],
  ["an error under 200", status(200, { body: { id: "trace-1", error: "no" } }), noJob(/HTTP 200 with an error: no/)],
  [
    "a reply nested beyond every stack",
    status(200, { body: '{"jobs":'.repeat(50_000) }),
    noJob(/that is not JSON \(text\/plain.*/),
  ],
];

const statuses: Row[] = [
  ...[400, 404, 422].map((code): Row => [
    `${code}`,
    status(code, { body: { message: "because" } }),
    refused(new RegExp(`failed with HTTP ${code}: because\\. No job was created\\. \\S`)),
  ]),
  [
    "409",
    status(409, { body: { message: "because" } }),
    refused(
      /failed with HTTP 409: because\. The service says that it has such a job, which may be the one of this create\. \S/,
    ),
  ],
  ...[408, 500, 503].map((code): Row => [
    `${code}`,
    status(code, { processed: true, body: "oops" }),
    unconfirmed(1, new RegExp(`failed with HTTP ${code}: oops\\.$`)),
  ]),
  ...[302, 307].flatMap((code): Row[] => [
    [
      `a redirect by ${code}, which may lead to the new job`,
      status(code, { processed: true, headers: { Location: "/x" } }),
      unconfirmed(1, new RegExp(`HTTP ${code}: a redirect, which`)),
    ],
    [
      `a redirect by ${code} to another host`,
      status(code, { headers: { Location: `https://else.example/${TOKEN}` } }),
      unconfirmed(0, /a redirect to else\.example, which is not followed/),
    ],
  ]),
  [
    "401, for good",
    status(401, { times: -1 }),
    refused(
      /HTTP 401.* No job was created\. The service did not accept the token from the test\. It may .* another service\. Set it\./,
    ),
  ],
  ["429 once, without Retry-After", status(429), { ...created(), posts: 2 }],
  [
    "503 with Retry-After is ambiguous all the same",
    status(503, { processed: true, headers: { "Retry-After": "0" } }),
    unconfirmed(1, /HTTP 503/),
  ],
  ["an echoed token", { kind: "echoToken", status: 403 }, refused(/403: ECHO: The token <token> is not accepted\./)],
];

/** Faults of the preflight: each is retried or ignored, or keeps the create from being sent. */
const listFaults: Row[] = [
  ...(["reset", "close"] as const).flatMap((kind) =>
    (["connect", "request", "headers", "body"] as const).map((when): Row => [
      `the list breaks once, ${kind} at the ${when}`,
      { kind, when },
      { ...created(), lists: when === "connect" ? 1 : 2 },
    ]),
  ),
  [
    "the list stays silent",
    { kind: "silence" },
    unsent(
      /^The check that precedes the first create failed: .*no reply came in time\. No job was created: the create was not sent\. Check the address/,
    ),
  ],
  ["nobody accepts", { kind: "silence", when: "connect", times: -1 }, unsent(/no reply came in time/)],
  [
    "the list is a page",
    status(200, { body: `<html><title>Sign in ${TOKEN}</title>`, headers: { "Content-Type": "text/html" } }),
    unsent(
      /HTTP 200 with a web page titled "Sign in <token>".* Check data-connectivity:baseUrl: it must be the address of the service/,
    ),
  ],
  [
    "the list is no JSON",
    status(200, { body: "Sign in", headers: { "Content-Type": `text/plain; x=${TOKEN}` } }),
    unsent(
      /HTTP 200 with something that is not JSON \(text\/plain; x=<token>\).* Check data-connectivity:baseUrl: it must be the/,
    ),
  ],
  [
    "the list is other JSON",
    status(200, { body: { a: 1 } }),
    unsent(
      /HTTP 200\. The reply has no "dataSources" array\. .* Check data-connectivity:baseUrl: it must be the address/,
    ),
  ],
  ["the list is no HTTP once", { kind: "garbage" }, { ...created(), lists: 2 }],
  ...[401, 407, 503].map((code): Row => [
    `the list answers ${code}`,
    status(code, { times: -1 }),
    unsent(new RegExp(`HTTP ${code}.*the create was not sent`)),
  ]),
  ...[301, 307].map((code): Row => [
    `the list answers ${code}`,
    status(code, { headers: { Location: "https://else.example/" } }),
    { ...unsent(/redirect to else\.example, which is not followed/), lists: 1 },
  ]),
  ...[403, 404].map((code): Row => [
    `the list answers ${code}: the create is sent all the same`,
    status(code),
    created(),
  ]),
  ["the list answers 503 once", status(503), { ...created(), lists: 2 }],
  [
    // The client may notice the reset before it is connected (the create is retried) or after that (unconfirmed).
    "the connection of the create resets at once",
    { kind: "reset", when: "connect", after: 1 },
    { lists: 1, says: /^$|broke before a reply/ },
  ],
];

/** Each fault of a create or its preflight, with what becomes of the create. */
export const faultRows: Row[] = [
  ...[...brokenConnections, ...bodies, ...statuses].map(([name, fault, expected]): Row => [
    name,
    { on: "create", ...fault },
    expected,
  ]),
  ...listFaults.map(([name, fault, expected]): Row => {
    const isOfConnection = "when" in fault && fault.when === "connect";
    return [name, isOfConnection ? fault : { on: "sources", ...fault }, expected];
  }),
];
