import type { Phase } from "../../../provider/src/testing/emulator/faults.js";
import { created, list, status, unsent, type Row } from "./expectations.js";
import { TOKEN } from "../testService.js";

/** Faults of the preflight: each is retried or ignored, or keeps the create from being sent. */
export const listFaults: Row[] = [
  ...(["reset", "close"] as const).flatMap((kind) =>
    (["connect", "request", "headers", "body"] satisfies Phase[]).map((when): Row => [
      `the list breaks once, ${kind} at the ${when}`,
      [when === "connect" ? { kind, when } : list({ kind, when })],
      { ...created(), lists: when === "connect" ? 1 : 2 },
    ]),
  ),
  [
    "the list stays silent",
    [list({ kind: "silence" })],
    unsent(
      /^The check that precedes the first create failed: .*no reply came in time\. No job was created: the create was not sent\. Check the address/,
    ),
  ],
  [
    "the list stays silent within its body",
    [list({ kind: "silence", when: "body" })],
    unsent(/HTTP 200: the reply took too long\./),
  ],
  ["nobody accepts", [{ kind: "silence", when: "connect", times: -1 }], unsent(/no reply came in time/)],
  [
    "the list is half, again and again",
    [list({ kind: "truncated", framing: "length", times: -1 })],
    unsent(/HTTP 200: the reply was cut off \(\d tries\)/),
  ],
  ["the list is a bomb", [list({ kind: "bomb", mebibytes: 2048, times: -1 })], unsent(/larger than 10 MiB/)],
  [
    "the list is a page",
    [list(status(200, { body: `<html><title>Sign in ${TOKEN}</title>`, contentType: "text/html" }))],
    unsent(
      /HTTP 200 with a web page titled "Sign in <token>".* Check data-connectivity:baseUrl: it must be the address of the service/,
    ),
  ],
  [
    "the list is no JSON",
    [list(status(200, { body: "Sign in", contentType: `text/plain; x=${TOKEN}` }))],
    unsent(
      /HTTP 200 with something that is not JSON \(text\/plain; x=<token>\).* Check data-connectivity:baseUrl: it must be the/,
    ),
  ],
  [
    "the list is other JSON",
    [list(status(200, { body: { a: 1 } }))],
    unsent(
      /HTTP 200\. The reply has no "dataSources" array\. .* Check data-connectivity:baseUrl: it must be the address/,
    ),
  ],
  ["the list drips for ever", [list({ kind: "drip", everyMs: 50, times: -1 })], unsent(/took too long/)],
  ["the list is no HTTP once", [list({ kind: "garbage" })], { ...created(), lists: 2 }],
  ...[401, 407, 408, 500, 502, 503, 504].map((code): Row => [
    `the list answers ${code}`,
    [list(status(code, { times: -1 }))],
    unsent(new RegExp(`HTTP ${code}: .*the create was not sent`)),
  ]),
  ...[301, 302, 303, 307, 308].map((code): Row => [
    `the list answers ${code}`,
    [list(status(code, { headers: { Location: "https://else.example/" } }))],
    { ...unsent(/redirect to else\.example, which is not followed/), lists: 1 },
  ]),
  ...[400, 403, 404, 410, 422].map((code): Row => [
    `the list answers ${code}: the create is sent all the same`,
    [list(status(code))],
    created(),
  ]),
  ["the list answers 503 once", [list(status(503))], { ...created(), lists: 2 }],
  [
    "the list answers 429 with a wait beyond all time",
    [list(status(429, { headers: { "Retry-After": "60" } }))],
    unsent(/asks for a pause of another 60 s/),
  ],
  [
    // The client may notice the reset before it is connected (the create is retried) or after that (unconfirmed).
    "the connection of the create resets at once",
    [{ kind: "reset", when: "connect", after: 1 }],
    { lists: 1, says: /^$|broke before a reply/ },
  ],
];
