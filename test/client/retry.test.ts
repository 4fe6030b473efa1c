import type { Finding } from "../../provider/src/finding.js";
import type { Credentials } from "../../provider/src/config/index.js";
import { listDataSources } from "../../provider/src/client/requests.js";
import type { HttpResult } from "../../provider/src/client/http.js";
import type { CallName } from "../../provider/src/client/calls.js";
import { serviceTime } from "../../provider/src/client/clock.js";
import { retryAfterMs } from "../../provider/src/client/rateLimit.js";
import { backoffMs } from "../../provider/src/client/send.js";
import { meaningOf, type Said } from "../../provider/src/client/statuses.js";
import { credentialsCommand } from "../support/credentialsCommand.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestFault } from "../support/emulator/index.js";
import { FastClock } from "../support/fastClock.js";
import { matching } from "../support/matchers.js";
import { expectedOfStatuses } from "../support/statuses.js";
import { replyWith, clientAt, TOKEN } from "../support/testService.js";

const lost = (sent: boolean, final = false): HttpResult => ({ kind: "noReply", sent, final, reason: "x" });

describe("The retry decision for an HTTP result", () => {
  /** How a result is classified, and when its request is retried: first for a request that may be repeated, then for a create. */
  const decisions = (result: HttpResult) =>
    (["get", "create"] as const).map((call) => {
      const { meaning, retry } = meaningOf(call, result);
      return `${meaning} ${retry}`;
    });

  test.each(expectedOfStatuses)("$name", ({ statuses, repeatable, create }) => {
    expect(statuses.map((status) => [status, ...decisions(replyWith({ status }))])).toEqual(
      statuses.map((status) => [status, repeatable, create]),
    );
  });

  test.each<[string, HttpResult, repeatable: string, create: string]>([
    ["no connection", lost(false), "notProcessed later", "notProcessed later"],
    ["no connection that no other try could make", lost(false, true), "notProcessed never", "notProcessed never"],
    ["a connection that broke after the request may have left", lost(true), "ambiguous later", "ambiguous never"],
  ])("%s", (_name, result, repeatable, create) => {
    expect(decisions(result)).toEqual([repeatable, create]);
  });
});

describe("What a status means for the call that it answers:", () => {
  const refused = (call: CallName, status: number, result: HttpResult = replyWith({ status })) => {
    const { fix, says } = meaningOf(call, result);
    const address = { baseUrlFrom: "data-connectivity:baseUrl", credentials: { from: "the test", fix: "" } };
    return { fix: fix({ call, ...address, untimely: undefined }), says };
  };

  test.each([404, 405])("%d is a wrong address, or a call that the service does not answer", (status) => {
    const address = "Check data-connectivity:baseUrl: it must not include /api.";
    expect(refused("create", status).fix).toBe(address);
    for (const call of ["sources", "connections", "accounts", "tables"] as const)
      expect(refused(call, status).fix).toBe(`${address} If it is right, this service does not answer this call.`);
    for (const call of ["list", "get", "update", "delete", "run"] as const)
      expect(refused(call, status).fix).toBe(
        `${address} If it is right, this service does not answer this call: mode create is for such a service (set jobOperations to create).`,
      );
  });

  test.each<[number, CallName, Said, boolean]>([
    [404, "get", "noJob", true],
    [404, "list", "noJob", false],
    [404, "list", "noCall", true],
    [405, "get", "noCall", true],
    [410, "delete", "noJob", true],
    [410, "list", "noJob", false],
    [409, "create", "exists", true],
    [409, "update", "exists", false],
    [302, "get", "moved", true],
    [403, "sources", "own", true],
    [407, "sources", "own", false],
  ])("%d to %s says %s: %p", (status, call, what, isSaid) => {
    expect(refused(call, status).says?.includes(what) === true).toBe(isSaid);
  });

  test("409 has a way on for each call", () => {
    const fixes = (["create", "run", "update"] as const).map((call) => refused(call, 409).fix);
    expect(fixes).toEqual([
      "Look at the job at the service. If no stack has it, adopt it with existingJobId.",
      "The job may be running already: wait until it has ended, then run the command again.",
      "Look at the job at the service, then run the command again.",
    ]);
  });

  test("a reply that is too large has a way on if it is the list of jobs", () => {
    const large: HttpResult = { kind: "noReply", sent: true, final: true, tooLarge: true, reason: "x" };
    expect(refused("list", 0, large).fix).toMatch(/^A run of mode all creates and adopts no job of this account while/);
    expect(refused("accounts", 0, large).fix).toBe(
      "If the service should answer with less, report this to its provider.",
    );
  });
});

describe("The wait that Retry-After asks for", () => {
  const now = Date.parse("2026-03-01T12:00:00Z");
  test.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["0", 0],
    ["5", 5000],
    ["999999999", 999_999_999_000],
    ["9999999999", undefined],
    [" 5", undefined],
    ["5.5", undefined],
    ["-5", undefined],
    ["1e9", undefined],
    ["soon 5", undefined],
    ["Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
    ["Mon, 01 Mar 1999 11:00:00 GMT", 0],
    ["Sun, 01 Mar 2026 12:00:30 +0100", undefined],
    ["2026-03-01T12:00:30Z", undefined],
    ["5, 10", undefined],
  ])("%p is %p ms", (header, expected) => {
    expect(retryAfterMs(header, serviceTime(now))).toBe(expected);
  });
});

test("The wait between tries is random, below a limit that doubles up to eight seconds", () => {
  const longest = [1, 2, 3, 4, 5, 6, 100].map((tries) => backoffMs(tries, () => 1));
  expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
  expect(backoffMs(3, () => 0)).toBe(0);
});

describe("The debug log says what followed a request:", () => {
  afterEach(stopAll);
  const command = credentialsCommand();

  /** The log of a list call with these credentials, at a service that accepts one token. */
  async function logged(credentials: Credentials, accepted: string, faults: TestFault[] = []): Promise<string[]> {
    const emulator = await start({ token: accepted, faults });
    const lines: string[] = [];
    const options = { clock: new FastClock(), report: ({ text }: Finding) => lines.push(text) };
    const client = clientAt(emulator.baseUrl, { timeoutSeconds: 600, credentials }, options);
    await listDataSources(client);
    return lines.map((line) => line.replace(/^\S+ GET \S+ (\d+) \d+ms/, "$1"));
  }
  const from = { from: "the test", fix: "Set it." };

  test("no retry after a 401 where there is no other token", async () => {
    expect(await logged({ ...from, token: "other" }, TOKEN)).toEqual(["401 try=1 notProcessed retry=never"]);
  });

  test.each([
    ["t2", "200 try=2 answered retry=never"],
    ["none", "401 try=2 notProcessed retry=never"],
  ])("one retry with another token, where the service accepts %s", async (accepted, last) => {
    const lines = await logged({ ...from, command: command.numbering("t") }, accepted);
    expect(lines).toEqual(["401 try=1 notProcessed retry=withNewToken", last]);
  });

  test("a token that was refused and could not be replaced: the failure says both", async () => {
    const { baseUrl } = await start({ token: "new" });
    await command.prints("old");
    const client = clientAt(baseUrl, { credentials: { ...from, command: command.line() } });
    await client.tokens.get();
    await command.fails();
    const failed = await listDataSources(client);
    expect(failed).toMatchObject({
      status: 401,
      what: matching(/HTTP 401.*The command of the test ended with exit/),
    });
  });

  test("retries after a wait, and none after the last try", async () => {
    const down = { kind: "reply", status: 503, times: -1 } as const;
    expect(await logged({ ...from, token: TOKEN }, TOKEN, [down])).toEqual([
      ...[1, 2, 3, 4].map((n) => `503 try=${n} ambiguous retry=later`),
      "503 try=5 ambiguous retry=never",
    ]);
  });
});
