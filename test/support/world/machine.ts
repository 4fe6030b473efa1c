import type { Timeline } from "./timeline.js";

export interface SimulatedFile {
  text: string;
  /** The command that made the file. */
  readonly writtenBy: unknown;
  /** When it was last written, by the machine's clock. */
  at: number;
}

/** A computer on which commands run: its clock, and the files of its temporary folder. */
export class Machine {
  readonly files = new Map<string, SimulatedFile>();

  constructor(
    readonly name: string,
    private readonly timeline: Timeline,
    /** How far its clock is ahead of the true time, in milliseconds. */
    public aheadMs: number,
  ) {}

  wall(): number {
    return Math.floor(this.timeline.now) + this.aheadMs;
  }
}
