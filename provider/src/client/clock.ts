import { uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { instantOf, instantOfHeader } from "../dateTime.js";

/**
 * A point in time on one clock. Code that mixes points of different clocks does not compile. A span is a number of
 * milliseconds.
 */
class TimePoint<By extends "monotonic" | "machine" | "service"> {
  constructor(
    readonly by: By,
    /** Whole milliseconds since 1970, or for the monotonic clock since an arbitrary point. */
    readonly ms: number,
  ) {}

  plus(ms: number): TimePoint<By> {
    return new TimePoint(this.by, this.ms + ms);
  }

  /** This point, or the other one if that is later. */
  orLater(other: TimePoint<By> | undefined): TimePoint<By> {
    return other !== undefined && other.ms > this.ms ? other : this;
  }

  /** The span since another point of the same clock, in milliseconds; negative if that point is later. */
  msSince(other: TimePoint<By>): number {
    return this.ms - other.ms;
  }
}

/** A point to measure spans from: this clock never steps. */
export type MonotonicTime = TimePoint<"monotonic">;
/** The time of this machine's wall clock, to show to the user. It may jump at any time. */
export type MachineTime = TimePoint<"machine">;
/** The time of the service's clock, to compare with times that the service reports. */
export type ServiceTime = TimePoint<"service">;

export const monotonicTime = (ms: number): MonotonicTime => new TimePoint("monotonic", ms);
export const machineTime = (ms: number): MachineTime => new TimePoint("machine", ms);
export const serviceTime = (ms: number): ServiceTime => new TimePoint("service", ms);

/** The time in a date-time of the service, or one saved in the service's time; undefined if it cannot be read. */
export function serviceTimeOf(text: string): ServiceTime | undefined {
  const ms = instantOf(text);
  return ms === undefined ? undefined : serviceTime(ms);
}

/** An ISO 8601 date-time in UTC. */
export const isoOf = ({ ms }: MachineTime | ServiceTime): string => new Date(ms).toISOString();

/** The client's clock. Tests replace it with one whose waits take no real time. */
export interface Clock {
  /** For every span: a wait, a limit, an age. */
  monotonic(): MonotonicTime;
  /** For the user, and for the service's time until a reply shows it. */
  wall(): MachineTime;
  /** Resolves after this many milliseconds, or as soon as `awake` aborts. */
  sleep(ms: number, awake?: AbortSignal): Promise<void>;
  /** Starts a time limit of this many milliseconds. */
  limit(ms: number): TimeLimit;
}

/** Keeps this process alive: Node exits if a process waits for nothing, and a program would end silently. */
export interface TimeLimit {
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
  /** Ends the limit early. */
  readonly end: () => void;
}

/** What a machine shows of the time, in milliseconds. */
interface MachineTimes {
  /** Of a timer, which may stand still while the machine sleeps. */
  readonly awake: () => number;
  /** The wall clock, which goes on meanwhile, and which somebody may set. */
  readonly wall: () => number;
  /** Since the machine was started. Slow: a hundred times as slow as the others. */
  readonly up: () => number;
}

/** The time since some moment, in milliseconds, with the time in it that the machine slept. */
export function withSleep({ awake, wall, up }: MachineTimes): () => number {
  const begunMs = up() - awake();
  let aheadMs = wall() - awake();
  let sleptMs = 0;
  return () => {
    const nowMs = awake();
    const jumpedMs = wall() - nowMs - aheadMs;
    if (Math.abs(jumpedMs) > toleranceMs) {
      aheadMs += jumpedMs;
      const missedMs = up() - nowMs - begunMs;
      if (missedMs > sleptMs + toleranceMs) sleptMs = missedMs;
    }
    return Math.floor(nowMs + sleptMs);
  };
}

/** Since the machine was started; on a platform that does not tell it, no sleep is seen. */
function upMs(): number {
  try {
    return 1000 * uptime();
  } catch {
    return performance.now();
  }
}

const systemMs = withSleep({ awake: () => performance.now(), wall: () => Date.now(), up: upMs });

export const systemClock: Clock = {
  monotonic: () => monotonicTime(systemMs()),
  wall: () => machineTime(Date.now()),
  sleep: async (ms, awake) => {
    await sleep(ms, undefined, { signal: awake }).catch((error: unknown) => {
      if (awake?.aborted !== true) throw error;
    });
  },
  limit: (ms) => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      controller.abort();
    }, ms);
    return {
      signal: controller.signal,
      end: () => {
        clearTimeout(timer);
      },
    };
  },
};

/** Clocks that differ by no more count as equal: a `Date` header has whole seconds. */
const toleranceMs = 5000;

/** The service may date a job by another clock than its replies: a difference up to this proves nothing. */
export const datesDifferMs = 300_000;

/** What a difference of two clocks lies between, in milliseconds. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** What both say; only the newer one if they contradict each other, because a clock was set. */
function narrowed(known: Bounds | undefined, newer: Bounds): Bounds {
  const least = Math.max(known?.least ?? -Infinity, newer.least);
  const most = Math.min(known?.most ?? Infinity, newer.most);
  return least > most ? newer : { least, most };
}

/** The service's clock, learned from its replies. */
export class ServiceClock {
  /**
   * How far the service's clock was ahead of this machine's at its newest reply, in milliseconds; undefined if no reply
   * has shown its time.
   */
  aheadMs: number | undefined;
  /** Whether the service answers without its time. */
  get isUntold(): boolean {
    return this.hasReplied && this.aheadMs === undefined;
  }
  private hasReplied = false;
  private stated: { readonly time: ServiceTime; readonly at: MonotonicTime } | undefined;
  /** How far the service's clock is ahead of the monotonic one. */
  private ahead: Bounds | undefined;
  /** How far the clock that dates jobs is at least ahead of the one that dates replies, in milliseconds. */
  private createdAheadMs: number | undefined;

  constructor(private readonly clock: Clock) {}

  /**
   * The service's time. Until a reply has shown it, this machine's time is used; after that, it no longer matters if this
   * machine's clock jumps.
   */
  now(): ServiceTime {
    if (this.stated === undefined) return serviceTime(this.clock.wall().ms);
    return this.stated.time.plus(this.clock.monotonic().msSince(this.stated.at));
  }

  /** Learns from the headers of a reply that just came. `sent`: when its request was sent. */
  learn({ date }: Readonly<Record<string, string | undefined>>, sent: MonotonicTime): void {
    const stated = instantOfHeader(date);
    this.hasReplied = true;
    if (stated === undefined) return;
    const at = this.clock.monotonic();
    const now = this.clock.wall().ms;
    // The service dated its reply sometime after the request was sent, so a slow reply alone shows no difference.
    const [least, most] = [stated - now, stated - (now - at.msSince(sent))];
    this.aheadMs = least > toleranceMs ? least : most < -toleranceMs ? most : 0;
    this.stated = { time: serviceTime(now + this.aheadMs), at };
    // A `Date` has whole seconds.
    this.ahead = narrowed(this.ahead, { least: stated - at.ms, most: stated + 1000 - sent.ms });
  }

  /** Learns from a job that a request made: it was sent at `sent`, and its reply has just come. */
  learnCreated(created: ServiceTime, sent: MonotonicTime): void {
    const { ahead } = this;
    if (ahead === undefined) return;
    const leastMs = created.ms - (this.clock.monotonic().ms + ahead.most);
    const mostMs = created.ms - (sent.ms + ahead.least);
    // A reply may show a job that was there before. The highest bound holds: an older job's is lower.
    if (leastMs > datesDifferMs || mostMs < -datesDifferMs) return;
    this.createdAheadMs = Math.max(this.createdAheadMs ?? leastMs, leastMs);
  }

  /** Whether a job with this date can be from a request sent then. False if the service's time is not known. */
  isSince(created: ServiceTime, sent: MonotonicTime): boolean {
    const { ahead, createdAheadMs = 0 } = this;
    return ahead !== undefined && created.ms - createdAheadMs >= sent.ms + ahead.least;
  }
}
