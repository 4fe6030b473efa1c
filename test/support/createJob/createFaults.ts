import type { Phase } from "../../../provider/src/testing/emulator/faults.js";
import { created, onCreate, refused, status, unconfirmed, type Row } from "./expectations.js";
import { TOKEN } from "../testService.js";

/** A connection that ends by RST, FIN or silence: before the reply, after its headers, or within its body. */
export const brokenConnections: Row[] = (["reset", "close", "silence"] as const).flatMap((kind) =>
  (["request", "headers", "body"] satisfies Phase[]).flatMap((when) =>
    [true, false].map((processed): Row => {
      const says =
        when === "request"
          ? kind === "silence"
            ? /failed: no reply came in time\.$/
            : /failed: the connection broke before a reply came \(ECONNRESET\)\.$/
          : kind === "silence"
            ? /HTTP 200, but the reply took too long\. The reply has no readable job\.$/
            : /HTTP 200, but the reply was cut off\. The reply has no readable job\.$/;
      return [
        `${kind} at the ${when}, ${processed ? "" : "not "}processed`,
        [onCreate({ kind, when, processed })],
        unconfirmed(processed ? 1 : 0, says),
      ];
    }),
  ),
);

export const bodies: Row[] = [
  ...(["length", "chunked", "closeDelimited"] as const).map((framing): Row => [
    `half a body, framed by ${framing}`,
    [onCreate({ kind: "truncated", framing, processed: true })],
    unconfirmed(
      1,
      framing === "closeDelimited"
        ? /that is not JSON \(application\/json.*\. The reply has no readable job\.$/
        : /the reply was cut off/,
    ),
  ]),
  ["a reply that drips and ends in time", [onCreate({ kind: "drip", everyMs: 2, bytes: 64 })], created()],
  ["a reply that drips for ever", [onCreate({ kind: "drip", everyMs: 50 })], unconfirmed(1, /took too long/)],
  ["a bomb of 2 GiB", [onCreate({ kind: "bomb", mebibytes: 2048 })], unconfirmed(0, /larger than 10 MiB/)],
  ["a reply of 64 MiB", [onCreate({ kind: "oversized", mebibytes: 64 })], unconfirmed(0, /larger than 10 MiB/)],
  ["bytes that are not HTTP", [onCreate({ kind: "garbage", processed: true })], unconfirmed(1, /broke before a reply/)],
  [
    "a job under another content type",
    [onCreate(status(200, { processed: true, contentType: "text/html" }))],
    created(),
  ],
  ["a job with 201", [onCreate(status(201, { processed: true }))], created()],
  [
    "a page with 200",
    [onCreate(status(200, { body: "<html>Sign in", contentType: "text/html" }))],
    unconfirmed(
      0,
      /HTTP 200 with a web page\. The reply has no readable job\. Check data-connectivity:baseUrl: it must be the address of the service/,
    ),
  ],
  [
    "an empty 200",
    [onCreate(status(200, { body: "" }))],
    unconfirmed(0, /HTTP 200 with an empty body\. The reply has no readable job\.$/),
  ],
  ["204", [onCreate(status(204))], unconfirmed(0, /HTTP 204 with an empty body\. The reply has no readable job\.$/)],
  [
    "jobs: null",
    [onCreate(status(200, { body: { jobs: null } }))],
    unconfirmed(0, /HTTP 200\. The reply has no readable job\.$/),
  ],
  [
    "jobs that are none",
    [onCreate(status(200, { body: { jobs: [] } }))],
    unconfirmed(0, /HTTP 200\. The reply has no readable job\.$/),
  ],
  [
    "an error under 200",
    [onCreate(status(200, { body: { id: "trace-1", error: "no" } }))],
    unconfirmed(0, /HTTP 200 with an error: no\. The reply has no readable job\.$/),
  ],
  [
    "the list's reply",
    [onCreate(status(200, { body: { dataSources: [] } }))],
    unconfirmed(0, /HTTP 200\. The reply has no readable job\.$/),
  ],
  [
    "a reply nested beyond every stack",
    [onCreate(status(200, { body: '{"jobs":'.repeat(50_000) }))],
    unconfirmed(0, /that is not JSON \(text\/plain.*\. The reply has no readable job\.$/),
  ],
];

export const statuses: Row[] = [
  ...[400, 402, 403, 404, 405, 409, 410, 413, 415, 422, 451].map((code): Row => [
    `${code}`,
    [onCreate(status(code, { body: { message: "because" } }))],
    refused(new RegExp(`failed with HTTP ${code}: because\\. No job was created\\. \\S`)),
  ]),
  ...[408, 499, 500, 502, 503, 504, 520].flatMap((code) =>
    [true, false].map((processed): Row => [
      `${code}, ${processed ? "" : "not "}processed`,
      [onCreate(status(code, { processed, body: "oops" }))],
      unconfirmed(processed ? 1 : 0, new RegExp(`failed with HTTP ${code}: oops\\.$`)),
    ]),
  ),
  ...[301, 302, 307, 308].map((code): Row => [
    `a redirect by ${code}`,
    [onCreate(status(code, { headers: { Location: `https://else.example/${TOKEN}` } }))],
    refused(
      /a redirect to else\.example, which is not followed\. No job was created\. If the service has moved, set data-connectivity:baseUrl/,
    ),
  ]),
  [
    "a redirect by 303",
    [onCreate(status(303, { headers: { Location: "/x" } }))],
    unconfirmed(0, /HTTP 303: a redirect, which/),
  ],
  ["304", [onCreate(status(304))], unconfirmed(0, /HTTP 304/)],
  [
    "401, for good",
    [onCreate(status(401, { times: -1 }))],
    refused(/HTTP 401: .* No job was created\. The service did not accept the token from the test\. Set it\./),
  ],
  [
    "a refusal whose body breaks off",
    [onCreate({ kind: "truncated", framing: "length", body: "x".repeat(99) })],
    unconfirmed(0, /cut off/),
  ],
  ["429 once, without Retry-After", [onCreate(status(429))], { ...created(), posts: 2 }],
  [
    "429 once, with Retry-After: 0",
    [onCreate(status(429, { headers: { "Retry-After": "0" } }))],
    { ...created(), posts: 2 },
  ],
  [
    "429 for good",
    [onCreate(status(429, { times: -1, headers: { "Retry-After": "0" } }))],
    {
      outcome: "notCreated",
      jobs: 0,
      says: /HTTP 429: .*\(\d+ tries\)\. No job was created\. Run pulumi up again later/,
    },
  ],
  [
    "429 with a wait beyond all time",
    [onCreate(status(429, { headers: { "Retry-After": "3600" } }))],
    refused(/HTTP 429: .*\. The service asks for a pause of another 3600 s.* No job was created\./),
  ],
  [
    "503 with Retry-After is ambiguous all the same",
    [onCreate(status(503, { processed: true, headers: { "Retry-After": "0" } }))],
    unconfirmed(1, /HTTP 503/),
  ],
  [
    "an echo of the token",
    [onCreate({ kind: "echoToken", status: 403 })],
    refused(/ECHO: The token <token> is not accepted\./),
  ],
];
