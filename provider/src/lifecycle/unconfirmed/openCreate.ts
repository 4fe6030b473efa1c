import { datesDifferMs, isoOf, machineTime, serviceTime, serviceTimeOf, type ServiceTime } from "../../client/clock.js";
import type { AccountClient } from "../../client/accountClient.js";
import { longestWaitMs } from "../../client/rateLimit.js";
import { inFlightMs, leastInFlightMs } from "../../client/send.js";

/** What the clocks of two machines may differ by: they are set, but nobody checks that. */
const machinesDifferMs = 3_600_000;

/** What one clock may be off by when it is read twice. */
const toleranceMs = 10_000;

/** A sign of a create, by the clock that dated it. */
interface Sign {
  readonly by: "service" | "machine";
  readonly ms: number;
  /** The same in the service's time: a note may be of another machine, whose clock nobody checks. */
  readonly serviceMs?: number | undefined;
  /** How long the request may be in flight, if that is known; it is at least as long as by today's settings. */
  readonly flightMs?: number | undefined;
  /** How much later than the sign its request may have been sent. */
  readonly lateMs: number;
  /** Whether it is the state's last write, which each run moves. */
  readonly isLastWrite?: true;
}

/** When an unconfirmed create may have been sent. A bound that is not known is undefined. */
export interface OpenCreate {
  /** The earliest time, in the service's time. */
  readonly from: string | undefined;
  /** The latest time, in the service's time. */
  readonly to: string | undefined;
  /** What shows how long the create may be in flight; undefined if nothing does yet. */
  readonly sign: Sign | undefined;
  /** The stack that a note names, if it is another one of the program's folder, or this one under another name. */
  readonly otherStack?: string;
}

/** The times of an unconfirmed create in the origin of its record. */
interface RecordedTimes {
  readonly at: string;
  readonly firstAt?: string | undefined;
  readonly isAtOrBefore?: boolean | undefined;
  readonly from?: string | undefined;
  readonly flightMs?: number | undefined;
}

/** A create that the state records, by the service's clock. */
export function openOfRecord({ at, firstAt, isAtOrBefore, from, flightMs }: RecordedTimes): OpenCreate {
  const sentMs = serviceTimeOf(at)?.ms ?? Infinity;
  const lateMs = isAtOrBefore === true ? longestWaitMs : 0;
  const to = Number.isFinite(sentMs) ? new Date(sentMs + lateMs).toISOString() : undefined;
  return {
    from: isAtOrBefore === true ? from : (firstAt ?? at),
    to,
    sign: { by: "service", ms: sentMs, flightMs, lateMs },
  };
}

/** A create that a note on this machine tells, by both clocks. */
export const openOfNote = (
  { at, sentMs, flightMs }: { readonly at: string; readonly sentMs: number; readonly flightMs?: number | undefined },
  from = at,
): OpenCreate => ({
  from,
  to: at,
  sign: { by: "machine", ms: sentMs, serviceMs: serviceTimeOf(at)?.ms, flightMs, lateMs: 0 },
});

/**
 * A create that the state shows only as a pending operation of the engine. Nothing shows when it began, and the time of the
 * state's last write is another machine's and moves with each write.
 */
export const openOfPending = (savedAt: number | undefined): OpenCreate => ({
  from: undefined,
  to: undefined,
  sign: savedAt === undefined ? undefined : { by: "machine", ms: savedAt, lateMs: machinesDifferMs, isLastWrite: true },
});

/** An unconfirmed create of a resource. `open`: what a killed run left of it besides the record. */
export const openOf = (saved: { readonly open?: OpenCreate | undefined; readonly origin: RecordedTimes }): OpenCreate =>
  saved.open ?? openOfRecord(saved.origin);

/** Whether the service's time is known: before its first reply, only this machine's is. */
const knowsService = ({ shared }: AccountClient): boolean => shared.clock.aheadMs !== undefined;

/**
 * Now, to be saved as the first sign of a create. Later runs read it in the service's time: until a reply shows that time,
 * it is the latest that it may be.
 */
export const firstSignAt = (client: AccountClient): string =>
  isoOf(client.shared.clock.now().plus(knowsService(client) ? 0 : machinesDifferMs));

/** How long a create may be in flight, as its record says it, if that is longer than the least. */
export function flightIn(client: AccountClient): { readonly flightMs?: number } {
  const flightMs = inFlightMs(client);
  return flightMs > leastInFlightMs ? { flightMs } : {};
}

const flightOf = (sign: Sign | undefined, client: AccountClient): number =>
  Math.max(inFlightMs(client), sign?.flightMs ?? 0);

/** When a create can no longer be in flight, by the clock that dated its sign; undefined if there is no sign. */
function settledAt({ sign }: OpenCreate, client: AccountClient) {
  if (sign === undefined) return undefined;
  const laterMs = sign.lateMs + flightOf(sign, client);
  if (sign.by === "service") return serviceTime(sign.ms + laterMs);
  const byMachine = machineTime(sign.ms + laterMs);
  if (sign.serviceMs === undefined || !knowsService(client)) return byMachine;
  const byService = serviceTime(sign.serviceMs + laterMs);
  const [wall, now] = [client.machineClock.wall(), client.shared.clock.now()];
  // The service's clocks may differ. A machine's clock that is behind the note was set since, and shows nothing.
  const isUsable = wall.ms >= sign.ms;
  return isUsable && wall.msSince(byMachine) < now.msSince(byService) ? byMachine : byService;
}

/**
 * For how long a create can no longer be in flight, in milliseconds; negative as long as it may be. Until a reply shows
 * the service's time, a time of the service counts as that of another machine.
 */
export function settledForMs(open: OpenCreate, client: AccountClient): number {
  const at = settledAt(open, client);
  if (at === undefined) return -Infinity;
  if (at.by === "machine") return client.machineClock.wall().msSince(at);
  return client.shared.clock.now().msSince(at) - (knowsService(client) ? 0 : machinesDifferMs);
}

/** Whether it can be told if a create may be in flight, before a request is sent. */
export const canTellInFlight = ({ sign }: OpenCreate, client: AccountClient): boolean =>
  sign?.by !== "service" || knowsService(client);

/**
 * Until when a create may be in flight, by this machine's clock if that is known; undefined if it cannot be any more. A wait
 * that counts from the state's last write begins again when this run ends.
 */
export function inFlightUntil(open: OpenCreate, client: AccountClient): string | undefined {
  const at = settledAt(open, client);
  if (at === undefined) return undefined;
  const { aheadMs = 0, isUntold } = client.shared.clock;
  // Without the service's time, the wait is as long as {@link settledForMs} says.
  const until = at.by === "service" ? machineTime(at.ms - aheadMs + (isUntold ? machinesDifferMs : 0)) : at;
  const now = client.machineClock.wall();
  const canTell = isUntold || canTellInFlight(open, client);
  if (now.msSince(until) >= 0 && (canTell || settledForMs(open, client) >= 0)) return undefined;
  if (open.sign?.isLastWrite === true) return isoOf(until.plus(now.ms - open.sign.ms + longestWaitMs));
  return `${isoOf(until)}${canTell ? "" : " by the service's clock"}`;
}

/** Whether a job is from a create: `other` and `own` need proof. */
type Age = "own" | "other" | "unknown";

/** Whether a job is too new to be a create's. An older one with its source may be dated by another clock. */
export const isTooNew = (client: AccountClient, created: string | undefined, open: OpenCreate): boolean =>
  ageIn(client, created, { ...open, from: undefined }) === "other";

/** Compares a job's `created` with both bounds of a create. `flightMs`: how long the create may have been in flight. */
export function ageOf(created: ServiceTime | undefined, { from, to }: OpenCreate, flightMs: number): Age {
  if (created === undefined) return "unknown";
  const [earliest, latest] = [timeIn(from), timeIn(to)?.plus(flightMs)];
  const earlyMs = earliest === undefined ? undefined : earliest.msSince(created);
  const lateMs = latest === undefined ? undefined : created.msSince(latest);
  if ((earlyMs ?? 0) > datesDifferMs || (lateMs ?? 0) > datesDifferMs) return "other";
  return earlyMs !== undefined && earlyMs <= toleranceMs && lateMs !== undefined && lateMs <= toleranceMs
    ? "own"
    : "unknown";
}

const timeIn = (text: string | undefined): ServiceTime | undefined =>
  text === undefined ? undefined : serviceTimeOf(text);

/** The age of a listed job. Without a reply that shows the service's time, no bound is known. */
export const ageIn = (client: AccountClient, created: string | undefined, open: OpenCreate): Age =>
  client.shared.clock.aheadMs === undefined ? "unknown" : ageOf(timeIn(created), open, flightOf(open.sign, client));
