import { machineTime, monotonicTime, type Clock, type TimeLimit } from "../../../provider/src/client/clock.js";
import type { Machine } from "./machine.js";

/** Something that lives on a machine and may be killed: a provider process, or the engine of a command. */
export interface Actor {
  readonly machine: Machine;
  isAlive: boolean;
  /** The command that the actor belongs to. */
  readonly command: CommandEvents;
}

/** What a command's events have in common: at any of them, something else may happen first. */
export interface CommandEvents {
  /** Called before each event of the command. Returns whether something else happened first. */
  beforeEvent(): boolean;
}

interface Planned {
  readonly at: number;
  /** Decides which of the events of one time is next. */
  readonly draw: number;
  readonly actor: Actor | undefined;
  readonly happen: () => void;
  isDropped: boolean;
}

/** A run that goes on for longer than this never ends, in milliseconds. */
const longestMs = 40 * 24 * 3_600_000;
/** The same in events. */
const mostEvents = 60_000;

/**
 * The only time there is, and the scheduler: everything that waits is an event of this timeline. How long each takes, and
 * which of those due at one time is next, is drawn from the seed. Whatever an event makes possible happens before the next
 * event, so nothing depends on how fast this process is. (fast-check's scheduler knows no time, and so no time limit that
 * is over before a reply arrives.)
 */
export class Timeline {
  private events: Planned[] = [];
  private count = 0;
  /** Who acts now; undefined: nobody on a machine. */
  actor: Actor | undefined;

  /** `now`: the true time, in milliseconds since 1970. `draw`: from 0 to 1; always 0 keeps the order of planning. */
  constructor(
    public now: number,
    private readonly draw: () => number,
  ) {}

  /** Makes something happen after some time, unless `actor` is killed before. Returns a function that calls it off. */
  after(ms: number, actor: Actor | undefined, happen: () => void): () => void {
    const event: Planned = { at: this.now + ms, draw: this.draw(), actor, happen, isDropped: false };
    const { events } = this;
    let [low, high] = [0, events.length];
    // The next event is the last of the array.
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = events[middle];
      if (other !== undefined && isBefore(event, other)) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, event);
    return () => {
      event.isDropped = true;
    };
  }

  /** Resolves after some time; never, if `actor` is killed before. */
  pause(ms: number, actor: Actor | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, actor, resolve);
    });
  }

  /** Lets time pass until the promise settles. @throws Error if nothing can settle it any more. */
  async until<Result>(promise: Promise<Result>, what: string): Promise<Result> {
    const awaited = { isSettled: false };
    const settle = () => {
      awaited.isSettled = true;
    };
    promise.then(settle, settle);
    const latest = this.now + longestMs;
    await quiet();
    while (!awaited.isSettled) {
      const event = this.events.pop();
      if (event === undefined) throw new Stuck(`${what} waits for something that never happens.`);
      if (event.isDropped || !isLiving(event.actor)) continue;
      if (event.at > latest || (this.count += 1) > mostEvents) throw new Stuck(`${what} never ends.`);
      this.now = Math.max(this.now, event.at);
      if (event.actor?.command.beforeEvent() === true) {
        await quiet();
        if (!isLiving(event.actor)) continue;
      }
      this.actor = event.actor;
      event.happen();
      await quiet();
      this.actor = undefined;
    }
    return promise;
  }
}

const isBefore = (one: Planned, other: Planned): boolean =>
  one.at < other.at || (one.at === other.at && one.draw < other.draw);

const isLiving = (actor: Actor | undefined) => actor === undefined || actor.isAlive;

export class Stuck extends Error {}

/**
 * All that can happen without waiting has happened once no promise is left to go on, which is when Node takes the next tick:
 * nothing here waits for anything real, so the event loop need not turn.
 */
const quiet = () =>
  new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });

/** The clock of an actor. */
export const clockOf = (timeline: Timeline, actor: Actor): Clock => ({
  monotonic: () => monotonicTime(Math.floor(timeline.now)),
  wall: () => machineTime(Math.floor(actor.machine.wall())),
  sleep: (ms, awake) => {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError(`No time to sleep: ${ms} ms.`);
    return new Promise((resolve) => {
      const drop = timeline.after(ms, actor, resolve);
      awake?.addEventListener("abort", () => {
        drop();
        resolve();
      });
    });
  },
  limit: (ms): TimeLimit => {
    if (!Number.isInteger(ms) || ms < 0) throw new RangeError(`No time limit: ${ms} ms.`);
    const controller = new AbortController();
    const end = timeline.after(ms, actor, () => {
      controller.abort();
    });
    return { signal: controller.signal, end };
  },
});
