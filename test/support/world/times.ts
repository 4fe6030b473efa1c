import type { World } from "./world.js";

/** For how long a job can still appear, as a message says by the clock of one of the machines or of the service. */
export function appearsWithinMs(world: World, message: string): number {
  const [, until] = /Wait until (\S+)(?: by the service's clock)?: a job can appear until then/.exec(message) ?? [];
  return until === undefined ? 0 : Math.max(0, Date.parse(until) - earliestMs(world));
}

/** The clock that dated a message's time may be slow. */
export function earliestMs({ machines, timeline, sequence }: World): number {
  const walls = machines.map((machine) => machine.wall());
  return Math.min(timeline.now + sequence.setting.aheadMs, ...walls);
}
