import { Cancellation } from "../../provider/src/client/gate.js";
import { systemClock } from "../../provider/src/client/service.js";
import { send } from "../../provider/src/client/send.js";
import { deferred } from "../support/deferred.js";
import { start, stopAll } from "../support/emulated.js";
import type { TestServer } from "../support/emulator/index.js";
import { FastClock } from "../support/fastClock.js";
import { matching } from "../support/matchers.js";
import { sendCreate, serviceAt, TOKEN } from "../support/testService.js";

afterEach(stopAll);

const pauseMs = 700;

test("Only the first pause of more than five seconds is shown", () => {
  const said: string[] = [];
  const service = serviceAt("http://127.0.0.1", {}, { say: (line) => said.push(line) });
  for (const seconds of [5, 6, 7]) service.pause(seconds * 1000, 429);
  const shown = /^The service answered HTTP 429 and asks for a pause of 6 s\. No request is sent before \S+Z\.$/;
  expect(said).toEqual([matching(shown)]);
});

const arrivals = ({ requests }: TestServer, method: string): number[] =>
  requests.filter((request) => request.method === method).map(({ at }) => Date.parse(at));

describe("A create is not sent during a pause that the service asked for:", () => {
  test("one that began while the engine was asked whether it still lives", async () => {
    const clock = new FastClock();
    const emulator = await start({
      token: TOKEN,
      now: clock.now,
      faults: [{ kind: "reply", on: "sources", status: 429, headers: { "Retry-After": "1" } }],
    });
    const asked = deferred<true>();
    const alive = deferred<boolean>();
    const isEngineAlive = () => {
      asked.resolve(true);
      return alive.promise;
    };
    const service = serviceAt(emulator.baseUrl, { timeoutSeconds: 5 }, { isEngineAlive, clock });
    const created = sendCreate(service);
    await asked.promise;
    // While the engine is asked, another request of this run is rate-limited. This request is retried after the pause.
    const listed = send(service, { purpose: "list", path: "/api/poweredby/sources/list" });
    while (service.pausedUntil === 0) await new Promise((resolve) => setImmediate(resolve));
    alive.resolve(true);
    expect(await created).toMatchObject({ outcome: "created" });
    await listed;
    const [first = 0] = arrivals(emulator, "GET");
    const [sent = 0] = arrivals(emulator, "POST");
    expect(sent - first).toBeGreaterThanOrEqual(990);
  });

  test("one that another request extended while the create waited", async () => {
    const clock = new FastClock();
    const emulator = await start({ token: TOKEN, now: clock.now });
    let asked = 0;
    let until = 0;
    const service = serviceAt(
      emulator.baseUrl,
      { timeoutSeconds: 5 },
      {
        clock,
        isEngineAlive: () => {
          asked += 1;
          // By the next turn of the event loop, the wait for the first pause has begun.
          if (asked === 1)
            setImmediate(() => {
              until = clock.now() + pauseMs;
              service.pause(pauseMs, 429);
            });
          return Promise.resolve(true);
        },
      },
    );
    service.pause(100, 429);
    expect(await sendCreate(service)).toMatchObject({ outcome: "created" });
    const [sent = 0] = arrivals(emulator, "POST");
    expect(until).toBeGreaterThan(0);
    expect(sent).toBeGreaterThanOrEqual(until);
    expect(asked).toBeGreaterThan(1);
  });

  test("one that is longer than the time that is left ends it unsent", async () => {
    const emulator = await start({ token: TOKEN });
    const service = serviceAt(emulator.baseUrl, { timeoutSeconds: 1 });
    service.pause(60_000, 429);
    expect(await sendCreate(service)).toMatchObject({ outcome: "notCreated", cause: "notSent" });
    expect(emulator.requests).toEqual([]);
  });

  test("one that the user cancels ends it unsent, at once", async () => {
    const emulator = await start({ token: TOKEN });
    const cancellation = new Cancellation();
    const service = serviceAt(emulator.baseUrl, { timeoutSeconds: 3600 }, { cancellation, clock: systemClock });
    // The pause is longer than this test may take.
    service.pause(2_000_000, 429);
    const created = sendCreate(service);
    cancellation.request();
    const cancelled = { what: "The run was cancelled.", fix: "Run the command again." };
    expect(await created).toMatchObject({ outcome: "notCreated", cause: "notSent", ...cancelled });
    expect(emulator.requests).toEqual([]);
  });
});
