import { ServiceTime, systemClock } from "../../provider/src/client/clock.js";

test.each<[string, told: string, aheadMs: number]>([
  ["an hour ahead, as the reply was dated before it came", "Sun, 01 Mar 2026 13:00:00 GMT", 3_580_000],
  ["an hour behind, as the reply was dated after its request was sent", "Sun, 01 Mar 2026 11:00:00 GMT", -3_600_000],
  ["the same, if the reply was dated while it was awaited", "Sun, 01 Mar 2026 12:00:10 GMT", 0],
])("After a reply that took 20 seconds, the service's time is %s", (_what, told, aheadMs) => {
  const sent = Date.parse("2026-03-01T12:00:00Z");
  const time = new ServiceTime({ ...systemClock, now: () => sent + 20_000 });
  time.learn(told, sent);
  expect(time.aheadMs).toBe(aheadMs);
});
