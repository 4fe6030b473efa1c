import { instantOfHeader } from "../dateTime.js";
import type { Report } from "../finding.js";
import { type Clock, isoOf, type MonotonicTime, type ServiceClock, type ServiceTime } from "./clock.js";
import type { Reply } from "./http.js";
import type { Status } from "./statuses.js";

/**
 * The longest that any run's request waits in all, in milliseconds, because the service limits requests or its job is
 * locked. This run's own limit (`rateLimitSeconds`) may be shorter; another run's is not known.
 */
export const longestWaitMs = 600_000;

/**
 * How long to wait if the service does not say so, in milliseconds. The wait grows to 15 seconds, and is random: several
 * runs should not ask at the same time. `before`: how many times the service refused before.
 */
export const unstatedWaitMs = (before: number, random: () => number = Math.random): number =>
  Math.round(Math.min(15_000, 1000 * 2 ** before) * (0.75 + random() / 4));

/**
 * The wait that a Retry-After header asks for, in milliseconds. Reads the two documented forms, a number of seconds and
 * a date. For any other header, returns undefined.
 */
export function retryAfterMs(header: string | undefined, now: ServiceTime): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const instant = instantOfHeader(header);
  return instant === undefined ? undefined : Math.max(0, instant - now.ms);
}

/**
 * The rate limit of one account. While it holds, one request at a time checks whether it is over, and all others wait.
 * Afterwards, the others are released gradually, because all at once would hit the limit again.
 */
export class RateLimit {
  /** While the limit holds: when the next request may check it. */
  private until: MonotonicTime | undefined;
  /** When the limit was last found to be over. */
  overAt: MonotonicTime | undefined;
  /** The request that checks whether the limit is over. */
  private asker: object | undefined;
  /** How many times the service refused the request that checked. */
  private refusals = 0;
  /** Whether a read showed that the limit was over, and how many writes in a row were then refused after all. */
  private readonly reads = { lifted: false, inVain: 0 };
  private readonly inFlight = new Set<object>();
  /** How many requests may be in flight; unlimited until the account first hits its limit. */
  private most = Infinity;
  private shown = false;
  private waiting: (() => void)[] = [];
  /** The writes whose turn it is: they decide what to send, with reads that may have to go first. */
  private readonly going = new Set<object>();

  constructor(
    private readonly clock: Clock,
    private readonly serviceClock: ServiceClock,
    private readonly report: Report,
  ) {}

  /**
   * Whether a request may be sent now. The caller must send it without another `await`, and must call {@link learn} or
   * {@link leave} when the request is done.
   */
  admits(request: object): boolean {
    // If it is not admitted, it is decided again: two writes that each decide anew would use up the limit with their reads.
    this.going.delete(request);
    if (!this.hasRoom(0)) return false;
    if (this.until !== undefined) this.asker = request;
    this.inFlight.add(request);
    return true;
  }

  private hasRoom(kept: number): boolean {
    if (this.until === undefined) return this.inFlight.size + kept < this.most;
    return kept === 0 && this.asker === undefined && this.leftMs(this.until) <= 0;
  }

  /**
   * Whether it is a request's turn. A write first decides what to send, so only as many writes have their turn as may be
   * sent. A read does not wait for them, because they may wait for it.
   */
  mayGo(request: object, onlyReads: boolean): boolean {
    if (onlyReads || this.going.has(request)) return this.hasRoom(0);
    if (!this.hasRoom(this.going.size)) return false;
    this.going.add(request);
    return true;
  }

  /** How long the request may not be sent, in milliseconds; 0 if that depends on other requests. */
  remainingMs(request?: object): number {
    const { until, asker, going } = this;
    if (until === undefined || asker !== undefined) return 0;
    const leftMs = this.leftMs(until);
    const isOthersTurn = leftMs <= 0 && [...going].some((one) => one !== request);
    // At least 1: the time may have ended since the request was not admitted, and then no other request wakes it.
    return isOthersTurn ? 0 : Math.max(1, leftMs);
  }

  private leftMs(until: MonotonicTime): number {
    return until.msSince(this.clock.monotonic());
  }

  /**
   * Resolves when a waiting request should check again, before {@link remainingMs} is over: it is its turn, or, if that
   * depended on other requests (`isUntimed`), now it depends on the time. `over`: the request waits no longer.
   */
  changed(request: object, onlyReads: boolean, isUntimed: boolean, over: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const lookAgain = () => {
        const isTimedNow = isUntimed && this.remainingMs(request) > 0;
        if (over.aborted || this.mayGo(request, onlyReads) || isTimedNow) resolve();
        else this.waiting.push(lookAgain);
      };
      this.waiting.push(lookAgain);
    });
  }

  /** Learns from the reply to a request. Returns the wait that the reply asks for, in milliseconds. */
  learn(request: object, { status, headers }: Reply, pauses: Status["pauses"], onlyReads = false): number | undefined {
    const statedMs = pauses === undefined ? undefined : retryAfterMs(headers["retry-after"], this.serviceClock.now());
    if (pauses === "account" || (pauses === "accountIfStated" && statedMs !== undefined))
      this.refuse(request, status, statedMs, onlyReads);
    else this.pass(request, onlyReads);
    return statedMs;
  }

  /** The service refused a request. `statedMs`: how long it asks to wait; undefined if it does not say so. */
  private refuse(request: object, status: number, statedMs: number | undefined, onlyReads: boolean): void {
    const { reads } = this;
    // A request that was sent before the limit was known shows nothing new about it.
    if (this.until !== undefined && this.asker === request) this.refusals += 1;
    // The reads of a write's decision may use up all that the service admits: wait until it admits both.
    if (this.until === undefined && reads.lifted && !onlyReads) reads.inVain = Math.min(4, reads.inVain + 1);
    const refusals = this.refusals + reads.inVain;
    const grownMs = statedMs === undefined || this.refusals > 0 ? unstatedWaitMs(refusals) : 0;
    const waitMs = Math.max((statedMs ?? 0) * (1 + reads.inVain), grownMs);
    // Another run of this account may have got the same time.
    const spreadMs = Math.round(Math.random() * Math.min(waitMs, 250));
    this.until = this.clock
      .monotonic()
      .plus(waitMs + spreadMs)
      .orLater(this.until);
    this.leave(request);
    if (waitMs <= 5000 || this.shown) return;
    this.shown = true;
    const text =
      statedMs === undefined
        ? `The service answered HTTP ${status} and does not say how long to wait. Until it accepts requests again, only one is sent at a time, at most 15 s after the one before.`
        : `The service answered HTTP ${status} and asks for a pause of ${Math.ceil(statedMs / 1000)} s. No request is sent before ${isoOf(this.clock.wall().plus(this.leftMs(this.until)))}.`;
    this.report({ severity: "info", text });
  }

  /** The service did not refuse a request. If it was the one that checked, the limit is over. */
  private pass(request: object, onlyReads: boolean): void {
    const { reads } = this;
    if (!onlyReads) Object.assign(reads, { lifted: false, inVain: 0 });
    if (this.asker === request) {
      reads.lifted = onlyReads;
      this.until = undefined;
      this.overAt = this.clock.monotonic();
      this.refusals = 0;
      this.most = 1;
    } else if (this.until === undefined && this.inFlight.has(request)) this.most += 1;
    this.leave(request);
  }

  /** A request is no longer in flight. */
  leave(request: object): void {
    this.inFlight.delete(request);
    this.going.delete(request);
    if (this.asker === request) this.asker = undefined;
    const waiting = this.waiting;
    this.waiting = [];
    for (const lookAgain of waiting) lookAgain();
  }
}
