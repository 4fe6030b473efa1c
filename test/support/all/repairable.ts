import { start } from "../emulated.js";
import { systemClock, type Clock } from "../../../provider/src/client/clock.js";
import type { TestServer } from "../emulator/index.js";

/** A service whose faults end when it is repaired: another emulator at its address, with its jobs. */
export class Repairable {
  private constructor(
    public emulator: TestServer,
    private readonly clock: Clock,
  ) {}

  static async start(clock = systemClock): Promise<Repairable> {
    return new Repairable(await start({ now: () => clock.now() }), clock);
  }

  async repair(): Promise<void> {
    const { token, baseUrl, jobs } = this.emulator;
    await this.emulator.stop();
    this.emulator = await start({ token, port: Number(new URL(baseUrl).port), now: () => this.clock.now() });
    for (const { body, ...job } of jobs) this.emulator.addJob(body, job);
  }
}
