import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { type Clock, machineTime, monotonicTime, type TimeLimit } from "../../provider/src/client/clock.js";

interface Timer {
  readonly at: number;
  readonly end: () => void;
  /** Whether the timer is the time limit of a request in flight. */
  readonly isLimit?: true;
}

/**
 * After this many turns of the event loop, everything in this process that can continue has done so, including replies
 * on loopback.
 */
const quietTurns = 100;
const sleepMs = 10;

/**
 * A clock that jumps to the next awaited time once nothing else happens, so that no wait takes long. This clock rejects
 * the durations that the system's clock rejects.
 */
export class FastClock implements Clock {
  /**
   * This time is independent of real time, so that a busy machine makes no request late: each reading adds a
   * millisecond. By default it starts a day early, so that it is in the past for code that reads the system's clock, such
   * as the check of a date-time in the settings.
   */
  private time: number;
  private timers: readonly Timer[] = [];
  private turns = 0;
  private awaitedMs = 0;
  private running = false;

  /**
   * A request in flight gets its reply within `replyMs`, or never: the emulator's pauses are shorter. The wait for a
   * reply is made of short sleeps, so that a stall of this process, when no reply arrives, counts as only one sleep.
   */
  constructor(
    private readonly replyMs = 80,
    start = Date.now() - 24 * 3_600_000,
  ) {
    this.time = start;
  }

  /** How far the machine's wall clock is ahead. */
  private wallAheadMs = 0;

  /** The true time, as a service has it. */
  readonly now = (): number => {
    this.use();
    this.time += 1;
    return this.time;
  };

  readonly monotonic = () => monotonicTime(this.now());

  readonly wall = () => machineTime(this.time + this.wallAheadMs);

  /** Sets the machine's wall clock forward or back, as NTP or waking from sleep may do. */
  step(ms: number): void {
    this.wallAheadMs += ms;
  }

  readonly sleep = async (ms: number, awake?: AbortSignal): Promise<void> => {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`No time to sleep: ${ms} ms.`);
    await new Promise<void>((end) => {
      const timer: Timer = { at: this.now() + ms, end };
      this.add(timer);
      awake?.addEventListener("abort", () => {
        this.drop(timer);
        end();
      });
    });
  };

  readonly limit = (ms: number): TimeLimit => {
    if (!Number.isInteger(ms) || ms < 0) throw new RangeError(`No time limit: ${ms} ms.`);
    const controller = new AbortController();
    const timer: Timer = {
      at: this.now() + ms,
      isLimit: true,
      end: () => {
        controller.abort();
      },
    };
    this.add(timer);
    const end = (): void => {
      this.drop(timer);
    };
    return { signal: controller.signal, end };
  };

  private drop(timer: Timer): void {
    this.timers = this.timers.filter((one) => one !== timer);
  }

  /** Lets time pass without anything happening. */
  pass(ms: number): void {
    this.time += ms;
  }

  private use(): void {
    this.turns = 0;
    this.awaitedMs = 0;
  }

  private add(timer: Timer): void {
    this.timers = [...this.timers, timer];
    if (this.running) return;
    this.running = true;
    void this.run();
  }

  private async run(): Promise<void> {
    while (this.timers.length > 0) {
      await turn();
      this.turns += 1;
      if (this.turns < quietTurns) continue;
      if (this.awaitedMs < this.replyMs && this.timers.some(({ isLimit }) => isLimit)) {
        await sleep(sleepMs);
        this.awaitedMs += sleepMs;
        // Before a jump, handle whatever has arrived.
        this.turns = 0;
      } else this.jump();
    }
    this.running = false;
  }

  private jump(): void {
    const next = Math.ceil(Math.min(...this.timers.map(({ at }) => at)));
    this.use();
    this.time = Math.max(this.time, next);
    const due = this.timers.filter(({ at }) => at <= this.time);
    this.timers = this.timers.filter((timer) => !due.includes(timer));
    for (const { end } of due) end();
  }
}
