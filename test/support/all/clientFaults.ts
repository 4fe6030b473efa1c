import { modes } from "../../../provider/src/config/index.js";
import type { Service } from "../../../provider/src/client/service.js";
import type { TestServer, TestFault } from "../emulator/index.js";
import { serviceAt } from "../testService.js";

/** A client of the emulator, whose timeout is 2 seconds on a clock whose waits take no real time. */
export const clientOf = ({ baseUrl, token }: TestServer): Service =>
  serviceAt(baseUrl, { timeoutSeconds: 2, mode: modes.all, credentials: { from: "the test", fix: "Set it.", token } });

const always = { times: -1 } as const;
const phases = ["request", "headers", "body"] as const;

/** Replies that refuse a request: nothing was done. */
export const refusals: readonly TestFault[] = [400, 401, 403, 405, 409, 422, 307, 308].map((status) => ({
  kind: "reply",
  status,
  ...always,
}));

/** Faults that leave open whether the request was processed. */
export const ambiguities: readonly TestFault[] = [
  ...[301, 302, 303, 408, 499, 500, 502, 503, 504].map((status): TestFault => ({ kind: "reply", status, ...always })),
  ...(["reset", "close", "silence"] as const).flatMap((kind) =>
    phases.map((when): TestFault => ({ kind, when, ...always })),
  ),
  ...(["length", "chunked"] as const).map((framing): TestFault => ({
    kind: "truncated",
    framing,
    body: { jobs: [] },
    ...always,
  })),
  { kind: "garbage", ...always },
  { kind: "drip", everyMs: 300, endless: true, ...always },
  { kind: "bomb", mebibytes: 12, ...always },
  { kind: "oversized", mebibytes: 12, ...always },
  { kind: "echoToken", status: 500, ...always },
];

/** A 2xx reply without what was requested. */
export const nonsense: readonly TestFault[] = [
  ...["oops", "[[[", "[]", "null", '{"id":"x"}', '{"error":"no","jobs":[]}', "<html><title>Login</title>"].map(
    (body): TestFault => ({ kind: "reply", status: 200, body }),
  ),
  { kind: "reply", status: 200, body: "{}", contentType: "text/html" },
  { kind: "truncated", framing: "closeDelimited", body: { jobs: [] } },
  { kind: "echoToken", status: 200 },
  { kind: "bomb", mebibytes: 1 },
];

/** The reply of a service that does not have the job: the reply means the same as a 404. */
export const noJob: TestFault = { kind: "reply", status: 200, body: { jobs: null } };

/** A fault's name in a test's title. */
export const nameOf = (fault: TestFault): string => JSON.stringify({ ...fault, times: undefined });
