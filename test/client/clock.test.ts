import {
  machineTime,
  monotonicTime,
  ServiceClock,
  serviceTime,
  systemClock,
  withSleep,
} from "../../provider/src/client/clock.js";

const noon = Date.parse("2026-03-01T12:00:00Z");

type Headers = Parameters<ServiceClock["learn"]>[0];

/** A service's clock that has learned from a reply, sent at noon and answered after 20 seconds. */
function learned(headers: Headers) {
  let [passedMs, wallAheadMs] = [20_000, 0];
  const clock = new ServiceClock({
    ...systemClock,
    monotonic: () => monotonicTime(1000 + passedMs),
    wall: () => machineTime(noon + passedMs + wallAheadMs),
  });
  clock.learn(headers, monotonicTime(1000));
  const later = (ms: number, stepMs: number) => {
    passedMs += ms;
    wallAheadMs += stepMs;
    return clock.now().ms - noon;
  };
  return { clock, later };
}

test.each<[string, headers: Headers, aheadMs: number]>([
  ["an hour ahead, as the reply was dated before it came", { date: "Sun, 01 Mar 2026 13:00:00 GMT" }, 3_580_000],
  [
    "an hour behind, as the reply was dated after its request was sent",
    { date: "Sun, 01 Mar 2026 11:00:00 GMT" },
    -3_600_000,
  ],
  ["the same, if the reply was dated while it was awaited", { date: "Sun, 01 Mar 2026 12:00:10 GMT" }, 0],
])("After a reply that took 20 seconds, the service's time is %s", (_what, headers, aheadMs) => {
  expect(learned(headers).clock.aheadMs).toBe(aheadMs);
});

test.each([-900_000, 900_000])("A step of this machine's clock by %d ms does not move the service's", (stepMs) => {
  expect(learned({ date: "Sun, 01 Mar 2026 12:00:10 GMT" }).later(5000, stepMs)).toBe(25_000);
});

test("Times of two clocks have no span between them: that does not compile", () => {
  const spans = [
    // @ts-expect-error: a wall clock may step
    machineTime(2000).msSince(monotonicTime(1000)),
    // @ts-expect-error: the clocks may differ
    serviceTime(2000).msSince(machineTime(1000)),
    monotonicTime(2000).msSince(monotonicTime(1000)),
  ];
  expect(spans[2]).toBe(1000);
});

test.each([
  ["by another clock of the service", ["11:59:30"], "11:59:31", true],
  ["by another clock, whatever an older job's date is", ["11:59:30", "11:56:00"], "11:57:00", false],
  ["long before: it shows no clock", ["09:00:00"], "11:00:00", false],
])("A job that a create seems to have made is dated %s", (_what, made, created, isSince) => {
  const { clock } = learned({ date: "Sun, 01 Mar 2026 12:00:20 GMT" });
  const at = (time: string) => serviceTime(Date.parse(`2026-03-01T${time}Z`));
  for (const time of made) clock.learnCreated(at(time), monotonicTime(21_000));
  expect(clock.isSince(at(created), monotonicTime(21_000))).toBe(isSince);
});

test("A span has the time in it that the machine slept, in which timers stand still, and no step of the wall clock", () => {
  const times = { awake: 1000, wall: noon, up: 90_000 };
  const now = withSleep({ awake: () => times.awake, wall: () => times.wall, up: () => times.up });
  const began = now();
  const pass = (awake: number, wall = awake, up = awake) => {
    times.awake += awake;
    times.wall += wall;
    times.up += up;
    return now() - began;
  };
  // The machine's uptime has whole seconds.
  expect([pass(500, 500, 0), pass(500, 500, 1000), pass(1000, 900_000)]).toEqual([500, 1000, 2000]);
  expect([pass(1000, 7_201_000, 7_201_000), pass(1000, -900_000), pass(2000)]).toEqual([
    7_203_000, 7_204_000, 7_206_000,
  ]);
});
