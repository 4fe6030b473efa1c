import { serviceTimeOf } from "../../../provider/src/client/clock.js";
import {
  ageOf,
  openOfNote,
  openOfPending,
  openOfRecord,
} from "../../../provider/src/lifecycle/unconfirmed/openCreate.js";

const origin = { outcome: "unconfirmed", baseUrl: "https://service.test", account: undefined } as const;
const lost = openOfRecord({ ...origin, at: "2026-01-01T12:00:00Z" });
const resent = openOfRecord({ ...origin, at: "2026-01-01T12:00:00Z", firstAt: "2026-01-01T10:00:00Z" });
const sighted = openOfRecord({ ...origin, at: "2026-01-01T12:00:00Z", isAtOrBefore: true });
const noted = openOfNote({ at: "2026-01-01T12:00:00Z", sentMs: 0 });
const pending = openOfPending(Date.parse("2026-01-01T12:00:00Z"));

test.each([
  ["of a lost reply", lost, "2026-01-01T12:00:01Z", "own"],
  ["of a lost reply, in flight", lost, "2026-01-01T12:02:05Z", "own"],
  ["a little earlier than a lost reply: the clocks may differ", lost, "2026-01-01T11:57:00Z", "unknown"],
  ["a little later than a lost reply can be in flight", lost, "2026-01-01T12:05:00Z", "unknown"],
  ["long before a lost reply", lost, "2026-01-01T11:50:00Z", "other"],
  ["long after a lost reply", lost, "2026-01-01T12:10:00Z", "other"],
  ["between a create and its resend", resent, "2026-01-01T11:00:00Z", "own"],
  ["long before a create that was resent", resent, "2026-01-01T09:50:00Z", "other"],
  ["before the first sign of a create", sighted, "2025-12-01T12:00:00Z", "unknown"],
  ["ten minutes after the first sign", sighted, "2026-01-01T12:11:00Z", "unknown"],
  ["long after the first sign", sighted, "2026-01-01T12:30:00Z", "other"],
  ["of a note", noted, "2026-01-01T12:00:01Z", "own"],
  ["of a pending operation, whenever", pending, "2026-01-01T12:00:00Z", "unknown"],
  ["long after a pending operation was written, by another clock", pending, "2026-02-01T12:00:00Z", "unknown"],
])("The age of a job %s", (_what, open, created, age) => {
  expect(ageOf(serviceTimeOf(created), open, 120_000)).toBe(age);
});

test("A job whose date cannot be read has an unknown age", () => {
  expect(ageOf(serviceTimeOf("2026-01-01T12:00:00"), lost, 120_000)).toBe("unknown");
});
