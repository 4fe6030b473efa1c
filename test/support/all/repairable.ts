import { start } from "../emulated.js";
import { systemClock, type Clock } from "../../../provider/src/client/clock.js";
import type { TestFault, TestServer } from "../emulator/index.js";

/** A service whose faults end when it is repaired: a new emulator takes over its address and its jobs. */
export class Repairable {
  isBroken = false;

  private constructor(
    public emulator: TestServer,
    private readonly clock: Clock,
  ) {}

  static async start(clock = systemClock): Promise<Repairable> {
    return new Repairable(await start({ now: () => clock.now() }), clock);
  }

  break(...faults: readonly TestFault[]): void {
    this.emulator.inject(...faults);
    this.isBroken = faults.length > 0;
  }

  async repair(): Promise<void> {
    const { token, baseUrl, jobs } = this.emulator;
    await this.emulator.stop();
    this.emulator = await start({ token, port: Number(new URL(baseUrl).port), now: () => this.clock.now() });
    for (const { body, ...job } of jobs) this.emulator.addJob(body, job);
    this.isBroken = false;
  }
}
